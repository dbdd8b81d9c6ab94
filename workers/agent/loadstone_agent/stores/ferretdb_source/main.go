// The MongoDB protocol over SQLite: FerretDB's embeddable package under the flags of its own command.
//
// The command itself cannot be built from the module: a file that its release adds is not part of it.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os/signal"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

const version = "v1.24.2"

func main() {
	address := flag.String("listen-addr", "127.0.0.1:27017", "where it listens")
	url := flag.String("sqlite-url", "file:data/", "directory of the databases, as file:DIRECTORY/?_pragma=...")
	showVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()
	if *showVersion {
		fmt.Println("version:", version)
		return
	}
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: *address},
		Handler:   "sqlite",
		SQLiteURL: *url,
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := server.Run(ctx); err != nil {
		log.Fatal(err)
	}
}
