# Two stages: the first builds the program with the Swift toolchain, and the second contains only the program and its libraries.

ARG SWIFT_VERSION=6.3
FROM swift:${SWIFT_VERSION}-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libbrotli-dev libc-ares-dev libcurl4-openssl-dev \
        libdeflate-dev libjpeg-dev liblcms2-dev libmicrohttpd-dev libpng-dev libtiff-dev libwebp-dev libxml2-dev libzstd-dev \
        pkg-config zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /decant

# The dependencies are fetched again only if the manifest changes.
COPY Package.swift ./
RUN DECANT_ONLY_PROGRAMS=1 swift package resolve

COPY . .
RUN scripts/build && scripts/image-root "$(scripts/build --show-bin-path)" /image

FROM scratch
# scripts/image-arguments sets the last three. They are empty if the origin of the sources is not known.
ARG VERSION=0.1.0
ARG SOURCE
ARG REVISION
ARG CREATED
LABEL org.opencontainers.image.title="Decant" \
    org.opencontainers.image.description="Turns upstream HTTP responses into clean, validated JSON" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.source="${SOURCE}" \
    org.opencontainers.image.revision="${REVISION}" \
    org.opencontainers.image.created="${CREATED}"
COPY --from=build /image/ /
ENV DECANT_ADDRESS=0.0.0.0
EXPOSE 8080
USER 65532:65532
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=2s --retries=3 CMD ["/usr/local/bin/decant", "healthcheck"]
ENTRYPOINT ["/usr/local/bin/decant"]
CMD ["serve"]
