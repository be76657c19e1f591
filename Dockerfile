# syntax=docker/dockerfile:1
# Plinth for linux/amd64 and linux/arm64:
#   docker buildx build --platform linux/amd64,linux/arm64 --tag plinth .
# The file is /app/plinth.yaml, and the volume /data holds the SQLite database.
ARG NODE_VERSION=24

# The program and its packages are the same on every platform, so they are made on the one that builds.
FROM --platform=$BUILDPLATFORM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY dashboard/package.json dashboard/
COPY packages/ra-data-provider/package.json packages/ra-data-provider/
COPY packages/refine-data-provider/package.json packages/refine-data-provider/
COPY test/tools/package.json test/tools/
# Without the scripts of packages: what they fetch is for tests, and the build runs on the Node of this image.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && chmod +x dist/cli/main.js

FROM --platform=$BUILDPLATFORM node:${NODE_VERSION}-bookworm-slim AS packages
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --workspaces=false --ignore-scripts
# Traces are optional for those who install Plinth, and part of the image.
COPY --from=build /build/node_modules/@opentelemetry node_modules/@opentelemetry
# The sources of SQLite, its builds for other systems, and source maps: 30 MB that nothing reads.
RUN rm -r node_modules/better-sqlite3/deps node_modules/better-sqlite3/src \
  && find node_modules/better-sqlite3/prebuilds -type f ! -name 'linux-*' -delete \
  && find node_modules -name '*.map' -delete

FROM node:${NODE_VERSION}-bookworm-slim
LABEL org.opencontainers.image.title="Plinth" \
  org.opencontainers.image.description="One YAML file becomes a complete REST API." \
  org.opencontainers.image.licenses="MIT"
WORKDIR /opt/plinth
COPY --from=packages /build/node_modules node_modules
COPY --from=build /build/package.json /build/schema.json /build/LICENSE ./
COPY --from=build /build/src/client src/client
COPY --from=build /build/examples examples
COPY --from=build /build/dist dist
RUN ln -s /opt/plinth/dist/cli/main.js /usr/local/bin/plinth \
  && install --directory --owner=node --group=node /data
WORKDIR /app
ENV NODE_ENV=production \
  PLINTH_HOST=0.0.0.0 \
  PLINTH_PORT=4000 \
  PLINTH_DATABASE_URL=sqlite:/data/plinth.db
# The user `node`, by number: Kubernetes cannot tell of a name that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 4000
STOPSIGNAL SIGTERM
# Over HTTPS if the file sets server.tls, whose certificate is for another name than 127.0.0.1.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "--no-warnings", "-e", "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; Promise.any(['http', 'https'].map((scheme) => fetch(`${scheme}://127.0.0.1:${process.env.PLINTH_PORT}/_health`).then(({ ok }) => ok || Promise.reject()))).then(() => process.exit(0), () => process.exit(1))"]
ENTRYPOINT ["plinth"]
CMD ["start"]
