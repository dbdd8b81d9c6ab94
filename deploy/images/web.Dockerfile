# The built pages behind nginx, which also passes on what belongs to the api.
FROM node:22-slim AS pages
ARG NPM_CONFIG_REGISTRY
WORKDIR /src/frontend
COPY frontend/package.json frontend/package-lock.json ./
RUN --mount=type=cache,target=/var/cache/npm npm ci --cache /var/cache/npm --no-audit --no-fund --loglevel=error
COPY frontend ./
RUN npm run --silent build

FROM python:3.12-slim AS sbom
WORKDIR /src
COPY frontend/package-lock.json frontend/
COPY deploy/loadstone_local/sbom.py ./
RUN python sbom.py /src /sbom pages

FROM nginx:1.27
LABEL org.loadstone.sbom=/usr/share/loadstone/sbom
COPY --from=sbom /sbom /usr/share/loadstone/sbom
COPY deploy/nginx/nginx.conf /etc/nginx/nginx.conf
COPY deploy/nginx/loadstone.conf.template /etc/nginx/templates/loadstone.conf.template
COPY deploy/nginx/security-headers.conf deploy/nginx/proxy.conf /etc/nginx/loadstone/
COPY --from=pages /src/frontend/dist /usr/share/nginx/loadstone
ENV LOADSTONE_API=http://api:8080 \
    LOADSTONE_TRUSTED_PROXY=127.0.0.1
USER 101:101
EXPOSE 8080
