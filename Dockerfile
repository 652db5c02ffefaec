# The image that deploy/ runs: `docker build -t trellis:0.1.0 .` Nothing in it writes: the root file system may be read-only.
FROM debian:bookworm-slim AS build
WORKDIR /src
COPY tools/install_packages.sh tools/packages.txt tools/
RUN tools/install_packages.sh build
COPY . .
RUN cmake --preset release -DTRELLIS_BUILD_TESTS=OFF \
 && cmake --build --preset release --target trellis \
 && cmake --install build/release --prefix /opt/trellis --strip

FROM debian:bookworm-slim
# What the program is linked with; tests/deploy/run.py compares.
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      libabsl20220623 libbrotli1 libcpp-httplib0.11 libminizip1 libprometheus-cpp-core1.0 \
      libssl3 libstdc++6 libxxhash0 libyaml-0-2 libzstd1 zlib1g \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/trellis/bin/trellis /usr/local/bin/trellis
USER 65532:65532
EXPOSE 8080 8081 8082
ENTRYPOINT ["/usr/local/bin/trellis"]
CMD ["help"]
