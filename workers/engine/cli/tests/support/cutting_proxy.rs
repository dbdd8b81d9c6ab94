//! A proxy that cuts its first connections off in the middle of a request.

use std::io::{Read, Write, copy};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

/// Passes everything on to `store_port`, but closes the first `cuts` connections once `after_bytes` came in over
/// them. Runs until the test's process ends.
pub fn cut_connections(store_port: u16, cuts: usize, after_bytes: u64) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for (number, client) in listener.incoming().enumerate() {
            let limit = if number < cuts { after_bytes } else { u64::MAX };
            let store = TcpStream::connect(("127.0.0.1", store_port)).unwrap();
            thread::spawn(move || pass_on(client.unwrap(), store, limit));
        }
    });
    port
}

fn pass_on(client: TcpStream, store: TcpStream, limit: u64) {
    let (mut from_store, mut to_client) = (store.try_clone().unwrap(), client.try_clone().unwrap());
    let answers = thread::spawn(move || drop(copy(&mut from_store, &mut to_client)));
    let _ = copy(&mut (&client).take(limit), &mut &store);
    let _ = (&store).flush();
    let _ = client.shutdown(Shutdown::Both);
    let _ = store.shutdown(Shutdown::Both);
    let _ = answers.join();
}
