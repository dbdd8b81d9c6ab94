#!/usr/bin/env bash
# Makes a private authority and a certificate for the broker: make-broker-cert.sh FOLDER NAME-OR-ADDRESS...
# FOLDER gets ca.pem (for agents), broker.pem and broker.key (for Redis). Never overwrites. The authority's own key is
# thrown away: a new certificate comes with a new authority.
set -euo pipefail
[ $# -ge 2 ] || { echo "Usage: $0 FOLDER NAME-OR-ADDRESS..." >&2; exit 2; }
folder=$1
shift
[ ! -e "$folder/broker.key" ] || { echo "$folder/broker.key exists and stays as it is." >&2; exit 1; }
command -v openssl >/dev/null || { echo "openssl is missing." >&2; exit 1; }

names=
for name in "$@"; do
    case $name in
        *:* | [0-9]*.[0-9]*.[0-9]*.[0-9]*) names=$names,IP:$name ;;
        *) names=$names,DNS:$name ;;
    esac
done

umask 077
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
curve="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
openssl req -x509 $curve -keyout "$work/ca.key" -out "$work/ca.pem" -days 3650 -subj "/CN=Loadstone broker authority" \
    -addext basicConstraints=critical,CA:true -addext keyUsage=critical,keyCertSign 2>/dev/null
openssl req $curve -keyout "$work/broker.key" -out "$work/broker.csr" -subj "/CN=Loadstone broker" 2>/dev/null
printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth\nbasicConstraints=critical,CA:false\n' "${names#,}" >"$work/extensions"
openssl x509 -req -in "$work/broker.csr" -CA "$work/ca.pem" -CAkey "$work/ca.key" -CAcreateserial -days 3650 \
    -extfile "$work/extensions" -out "$work/broker.pem" 2>/dev/null
mv "$work/ca.pem" "$work/broker.pem" "$work/broker.key" "$folder/"
chmod 644 "$folder/ca.pem" "$folder/broker.pem"
