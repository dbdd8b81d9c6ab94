#!/bin/sh
# Once, after the migrations: the first account, and a token that enrolls the agent of this composition.
set -eu
umask 077
token_file=$LOADSTONE_AGENT_DIR/enrollment-token

# Only an account has enrollments: a refusal means that there is none yet. Asked first, because making an account
# that exists would set its password back.
if ! token=$(loadstone-admin create-enrollment --email "$LOADSTONE_ADMIN_EMAIL" 2>/dev/null); then
    printf '%s\n' "$LOADSTONE_ADMIN_PASSWORD" |
        loadstone-admin create-account --email "$LOADSTONE_ADMIN_EMAIL" --name Admin --team Home --password-stdin
    token=$(loadstone-admin create-enrollment --email "$LOADSTONE_ADMIN_EMAIL")
fi
if [ -e "$LOADSTONE_AGENT_DIR/identity.json" ]; then
    echo "The agent is enrolled already."
else
    printf '%s\n' "$token" | tail -n 1 >"$token_file"
    echo "An enrollment token, valid for an hour, waits for the agent."
fi
