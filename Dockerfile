# `make image` makes the same image without Docker; this is for machines that are not Debian 12:
# `docker build -t trellis:0.1.0 .` Nothing in it writes: the root file system may be read-only.
FROM debian:bookworm-slim AS build
WORKDIR /src
COPY tools/install_packages.sh tools/packages.txt tools/
RUN tools/install_packages.sh build package
COPY . .
RUN cmake --preset release -DTRELLIS_BUILD_TESTS=OFF \
 && cmake --build --preset release --target trellis \
 && packaging/image.py --binary build/release/trellis --root /image

FROM scratch
COPY --from=build /image/ /
USER 65532:65532
EXPOSE 8080 8081 8082
ENTRYPOINT ["/usr/local/bin/trellis"]
CMD ["help"]
