# Two images from one build:
#
#   docker build --target node -t knit:0.1.0 .
#   docker build --target operator -t knit-operator:0.1.0 .
#
# test/cluster/pods.test.ts builds its images from the stages below.

# The official images of Node.js 24, with tools to compile and without. A release names both by digest.
ARG NODE_FULL=node:24-bookworm
ARG NODE_SLIM=node:24-bookworm-slim

FROM ${NODE_SLIM} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build

# A production install. Native packages are compiled here with tools that the images do not contain.
FROM ${NODE_FULL} AS packages
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev

# The packages of each program alone, those of the node with a database in which reads cause no writes.
FROM packages AS node-packages
COPY . .
RUN node scripts/build-engine.ts && node scripts/keep-packages.ts node

FROM packages AS operator-packages
COPY . .
RUN node scripts/keep-packages.ts operator

FROM ${NODE_SLIM} AS runtime
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /src/package.json /src/LICENSE ./
USER 1000:1000

FROM runtime AS node
COPY --from=node-packages /src/node_modules ./node_modules
COPY --from=build /src/dist/node ./dist/node
EXPOSE 8551 8552 32323 61001
ENTRYPOINT ["node", "/app/dist/node/main.js"]

FROM runtime AS operator
COPY --from=operator-packages /src/node_modules ./node_modules
COPY --from=build /src/dist/operator ./dist/operator
EXPOSE 7443 8080
# Large freed blocks are returned to the system.
ENV MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=16384 MALLOC_TRIM_THRESHOLD_=65536
# Otherwise the young generation of the heap grows to 48 MB, and the old one to four times the used memory.
ENTRYPOINT ["node", "--max-semi-space-size=2", "--heap-growing-percent=40", "/app/dist/operator/main.js"]
