#!/usr/bin/env bash
# Writes the settings of `docker compose` with newly made secrets into .env (or the file named), readable by its owner
# only. Never overwrites: the secret key in it decrypts what the database holds.
set -euo pipefail
file=${1:-$(dirname "$0")/../.env}

if [ -e "$file" ]; then
    echo "$file exists and stays as it is." >&2
    exit 1
fi

random_hex() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }

umask 077
# For agents on other hosts, which reach the broker by TLS only. Without openssl there is no TLS port.
broker_name=${LOADSTONE_BROKER_NAME:-$(hostname -f 2>/dev/null || echo localhost)}
certificates=$(mktemp -d)
trap 'rm -rf "$certificates"' EXIT
base64_line() { [ ! -e "$1" ] || base64 <"$1" | tr -d '\n'; }
"$(dirname "$0")/make-broker-cert.sh" "$certificates/tls" "$broker_name" redis localhost 127.0.0.1 ||
    echo "There will be no TLS port for agents on other hosts." >&2

password=$(random_hex 12)
email=${LOADSTONE_ADMIN_EMAIL:-admin@loadstone.local}
# noclobber: of two that run at once, one fails.
set -o noclobber
cat >"$file" <<END
LOADSTONE_PORT=${LOADSTONE_PORT:-8080}
LOADSTONE_POSTGRES_PASSWORD=$(random_hex 24)
LOADSTONE_REDIS_PASSWORD=$(random_hex 24)
# Encrypts the credentials of targets. Keep a copy apart from the database's backups: neither is of use alone.
LOADSTONE_SECRET_KEYS=$(head -c 32 /dev/urandom | base64 | tr '+/' '-_')
# The first account, made once by the service \`setup\`. A password changed later on the page stays changed.
LOADSTONE_ADMIN_EMAIL=$email
LOADSTONE_ADMIN_PASSWORD=$password
# The broker's certificate, its key and the authority that agents check it with: base64 of PEM.
LOADSTONE_BROKER_TLS_CERT=$(base64_line "$certificates/tls/broker.pem")
LOADSTONE_BROKER_TLS_KEY=$(base64_line "$certificates/tls/broker.key")
LOADSTONE_BROKER_TLS_CA=$(base64_line "$certificates/tls/ca.pem")
# How this host is known as an agent. All agents on one host share the key, so that they never measure at once.
LOADSTONE_AGENT_NAME=$(hostname -s 2>/dev/null || echo agent)
LOADSTONE_HOST_KEY=$(cat /etc/machine-id 2>/dev/null || random_hex 16)
END
echo "Wrote $file. First account: $email, password: $password"
