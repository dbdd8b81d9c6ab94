# api, control, beat, migrations and first setup: one image, because all of them run the backend's code.
FROM python:3.12-slim AS build
ARG PIP_INDEX_URL
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_CACHE_DIR=/var/cache/pip
RUN python -m venv --without-pip /opt/loadstone
WORKDIR /src
COPY requirements.txt ./
# Wheels only: a source build would run code that the hash of its result does not cover, and need a compiler.
RUN --mount=type=cache,target=/var/cache/pip \
    pip --python /opt/loadstone/bin/python install --require-hashes --only-binary :all: -r requirements.txt
COPY backend/pyproject.toml backend/
COPY backend/loadstone backend/loadstone
COPY workers/contracts/pyproject.toml workers/contracts/
COPY workers/contracts/loadstone_contracts workers/contracts/loadstone_contracts
COPY workers/control/pyproject.toml workers/control/
COPY workers/control/loadstone_control workers/control/loadstone_control
COPY deploy/loadstone_local/sbom.py ./
RUN python sbom.py /src /opt/loadstone/share/sbom service
RUN pip --python /opt/loadstone/bin/python install --no-deps --no-index --no-build-isolation --no-cache-dir \
    ./workers/contracts ./backend ./workers/control

FROM python:3.12-slim
LABEL org.loadstone.sbom=/opt/loadstone/share/sbom
# The same user id as in the agent's image: setup leaves the enrollment token in the agent's volume.
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /var/lib/loadstone --shell /usr/sbin/nologin loadstone \
 && install -d -o loadstone -g loadstone -m 700 /var/lib/loadstone /var/lib/loadstone/agent
COPY --from=build /opt/loadstone /opt/loadstone
COPY migrations /opt/loadstone/share/migrations
COPY --chmod=755 deploy/images/setup.sh /opt/loadstone/bin/loadstone-setup
COPY deploy/images/health.py /opt/loadstone/share/health.py
ENV PATH=/opt/loadstone/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    LOADSTONE_HOST=0.0.0.0 \
    LOADSTONE_PORT=8080 \
    LOADSTONE_MIGRATIONS_DIR=/opt/loadstone/share/migrations \
    LOADSTONE_AGENT_DIR=/var/lib/loadstone/agent
WORKDIR /var/lib/loadstone
USER 10001:10001
EXPOSE 8080
CMD ["python", "-m", "loadstone.main"]
