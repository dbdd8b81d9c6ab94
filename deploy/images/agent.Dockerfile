# The agent with the native engine and the stores that it can start.
FROM rust:1-slim AS engine
WORKDIR /src
COPY workers/engine ./
# The caches keep compiled dependencies between builds; the product must leave them within the same step.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --release --locked --quiet && install target/release/loadstone-engine /loadstone-engine

FROM python:3.12-slim AS build
ARG PIP_INDEX_URL
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_CACHE_DIR=/var/cache/pip
RUN python -m venv --without-pip /opt/loadstone
WORKDIR /src
COPY requirements-agent.txt ./
RUN --mount=type=cache,target=/var/cache/pip \
    pip --python /opt/loadstone/bin/python install --require-hashes --only-binary :all: -r requirements-agent.txt
COPY workers/engine/Cargo.lock workers/engine/
COPY deploy/loadstone_local/sbom.py ./
RUN python sbom.py /src /opt/loadstone/share/sbom agent engine
COPY workers/contracts/pyproject.toml workers/contracts/
COPY workers/contracts/loadstone_contracts workers/contracts/loadstone_contracts
COPY workers/agent/pyproject.toml workers/agent/
COPY workers/agent/loadstone_agent workers/agent/loadstone_agent
RUN pip --python /opt/loadstone/bin/python install --no-deps --no-index --no-build-isolation --no-cache-dir \
    ./workers/contracts ./workers/agent

FROM python:3.12-slim
LABEL org.loadstone.sbom=/opt/loadstone/share/sbom
RUN apt-get update \
 && apt-get install -y --no-install-recommends memcached redis-server redis-tools \
 && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /var/lib/loadstone --shell /usr/sbin/nologin loadstone \
 && install -d -o loadstone -g loadstone -m 700 /var/lib/loadstone /var/lib/loadstone/agent
COPY --from=build /opt/loadstone /opt/loadstone
COPY --from=engine /loadstone-engine /usr/local/bin/loadstone-engine
COPY --chmod=755 deploy/images/start-agent.sh /opt/loadstone/bin/start-agent
COPY deploy/images/health.py /opt/loadstone/share/health.py
# Built in another image: prove here that it runs on this one's C library.
RUN loadstone-engine --version
ENV PATH=/opt/loadstone/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    LOADSTONE_ENGINE=/usr/local/bin/loadstone-engine \
    LOADSTONE_AGENT_DIR=/var/lib/loadstone/agent
WORKDIR /var/lib/loadstone
USER 10001:10001
CMD ["start-agent"]
