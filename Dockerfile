# The live board, the REST API and every command of paragone, with PostgreSQL, metrics, traces and compiled loops.
#
#     docker build -t paragone .
#     docker run --rm paragone --help
#
# It runs as a user without rights, with a read-only root file system: /tmp and /var/lib/paragone are all it writes to.
ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /build
# Dependencies change seldom, so they have a layer of their own.
COPY requirements/setup.lock requirements/image.lock requirements/
RUN python3 -m venv /build/tools && /build/tools/bin/pip install --quiet --no-deps --require-hashes -r requirements/setup.lock
RUN python3 -m venv /opt/paragone && /opt/paragone/bin/pip install --quiet --no-deps --require-hashes -r requirements/image.lock
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN /build/tools/bin/uv build --quiet --wheel --no-build-isolation --python /build/tools/bin/python --out-dir dist . \
 && /opt/paragone/bin/pip install --quiet --no-deps dist/*.whl \
 && /opt/paragone/bin/pip uninstall --quiet --yes pip

FROM python:${PYTHON}-slim
RUN groupadd --gid 10001 paragone \
 && useradd --uid 10001 --gid 10001 --home-dir /var/lib/paragone --shell /usr/sbin/nologin paragone \
 && install -d -o paragone -g paragone -m 0700 /var/lib/paragone
COPY --from=build /opt/paragone /opt/paragone
# Machine code of compiled loops is kept with the other state, since the package itself cannot be written to.
ENV PATH=/opt/paragone/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 NUMBA_CACHE_DIR=/var/lib/paragone/numba
USER 10001:10001
WORKDIR /var/lib/paragone
VOLUME /var/lib/paragone
EXPOSE 8321
STOPSIGNAL SIGTERM
ENTRYPOINT ["paragone"]
CMD ["serve", "--host", "0.0.0.0"]
