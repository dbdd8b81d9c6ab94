#!/bin/sh
# Enrolls at the first start, with the token that setup left, then becomes the agent.
set -eu
token_file=$LOADSTONE_AGENT_DIR/enrollment-token

# Where the broker is reached by TLS: the authority that signed its certificate, base64 of PEM.
if [ -n "${LOADSTONE_BROKER_TLS_CA:-}" ]; then
    printf %s "$LOADSTONE_BROKER_TLS_CA" | base64 -d >/tmp/broker-ca.pem
    export LOADSTONE_BROKER_CA_FILE=/tmp/broker-ca.pem
fi

if [ ! -e "$LOADSTONE_AGENT_DIR/identity.json" ]; then
    [ -s "$token_file" ] || { echo "There is no enrollment token in $token_file: run the setup service again." >&2; exit 1; }
    loadstone-agent enroll --url "$LOADSTONE_API_URL" --token "$(cat "$token_file")" --name "$(hostname)"
fi
rm -f "$token_file"
exec loadstone-agent start
