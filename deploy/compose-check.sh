#!/usr/bin/env bash
# Builds the images, brings docker-compose.yml up under a name, a port and secrets of its own, runs a small plan through
# it and takes everything down again. One line when it works, the logs of all services when it does not.
#
# Where no Docker engine answers, root may have one started, with stand-ins for the base images, by the script that
# LOADSTONE_BASE_IMAGES names (commands: engine, discover DIR, images NAME..., stop). Without it the check is skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bases=${LOADSTONE_BASE_IMAGES:-$PWD/../shared/tools/local-base-images.sh}
# Settings of the caller would win over those of the env file.
for name in $(compgen -A export | grep -E '^(LOADSTONE|COMPOSE)_' || true); do unset "$name"; done

started_s=$SECONDS
work=$(mktemp -d)
project=loadstone-check-$$
engine_is_ours=no
is_up=no

skip() { echo "compose: skipped: $*"; exit 0; }
engine_answers() { docker compose version && docker info; } >/dev/null 2>&1
compose() { docker compose --project-name "$project" --env-file "$work/env" "$@"; }

# Run a step within its seconds; show what it said only when it fails.
step() {
    local title=$1 limit_s=$2 log
    log="$work/${title// /-}.log"
    shift 2
    if ! timeout --kill-after=20 "$limit_s" "$@" >"$log" 2>&1; then
        tail -n 200 "$log"
        echo "compose: $title failed or took longer than $limit_s s: $*"
        return 1
    fi
}

show_services() {
    compose ps --all
    compose logs --no-color --tail 200
}

clean_up() {
    local code=$?
    trap - EXIT
    if [ "$is_up" = yes ]; then
        [ "$code" = 0 ] || show_services || true
        step "taking the services down" 120 docker compose --project-name "$project" --env-file "$work/env" \
            down --volumes --remove-orphans --timeout 20 || code=1
        docker image rm loadstone-{service,agent,web}:"$project" >/dev/null 2>&1 || true
    fi
    if [ "$engine_is_ours" = yes ]; then
        step "stopping the Docker engine" 60 "$bases" stop || code=1
    fi
    rm -rf "$work"
    exit "$code"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

start_engine() {
    engine_answers && return
    [ "$(id -u)" = 0 ] || skip "no Docker engine answers, and only root may start one"
    [ -x "$bases" ] || skip "no Docker engine answers, and there is no script to start one (LOADSTONE_BASE_IMAGES)"
    engine_is_ours=yes
    step "starting a Docker engine" 300 "$bases" engine
}

write_settings() {
    local port
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    LOADSTONE_PORT=$port deploy/make-env.sh "$work/env" >/dev/null
    echo "LOADSTONE_IMAGE_TAG=$project" >>"$work/env"
    set -a
    # shellcheck source=/dev/null
    . "$work/env"
    set +a
}

provide_base_images() {
    [ -x "$bases" ] || return 0
    local images
    images=$("$bases" discover "$PWD" | grep -v "^loadstone-")
    # shellcheck disable=SC2086 # one word an image
    step "making base images" 600 "$bases" images $images
}

# Side by side: one waits for packages while another compiles.
build_images() {
    local service pids=() pid code=0
    for service in migrate web agent; do
        step "building for $service" 900 docker compose --project-name "$project" --env-file "$work/env" build "$service" &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do wait "$pid" || code=1; done
    return "$code"
}

# What the networks promise.
check_isolation() {
    local address
    address=$(compose port web 8080)
    case $address in 127.0.0.1:*) ;; *) echo "compose: web listens on $address"; return 1;; esac
    if compose exec -T agent python -c 'import socket; socket.gethostbyname("postgres")' 2>/dev/null; then
        echo "compose: the agent finds the database"
        return 1
    fi
}

start_engine
write_settings
provide_base_images
is_up=yes
build_images
step "starting services" 240 docker compose --project-name "$project" --env-file "$work/env" up --no-build --wait --wait-timeout 180
check_isolation
step "the plan" 300 python3 deploy/compose_trial.py "http://127.0.0.1:$LOADSTONE_PORT"
echo "compose: $(tail -n 1 "$work/the-plan.log") through the containers in $((SECONDS - started_s)) s"
