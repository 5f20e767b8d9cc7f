# tokviz as a container: `docker build -t tokviz .`, `docker run -p 8501:8501 tokviz`.
# docs/deploying.md says more. Nothing is written at run time: --read-only works with --tmpfs /tmp.
# By its digest, a build begins with the same image each time; docs/deploying.md renews it.
ARG PYTHON=python:3.13.15-slim-trixie@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b
FROM $PYTHON AS packages
COPY requirements.lock .
# What is taken out again is the client of a model hub, 30 MB, which tokenizers asks for and nothing
# here uses.
RUN python -m venv /opt/tokviz \
 && /opt/tokviz/bin/pip install --no-cache-dir --require-hashes --no-deps -r requirements.lock \
 && /opt/tokviz/bin/pip uninstall --yes huggingface-hub hf-xet httpx2 httpcore2 truststore \
      fsspec filelock pyyaml tqdm \
 && /opt/tokviz/bin/pip uninstall --yes pip

FROM $PYTHON
RUN useradd --system --uid 10001 --home-dir /nonexistent --shell /usr/sbin/nologin tokviz
COPY --from=packages /opt/tokviz /opt/tokviz
COPY . /app
WORKDIR /app
# Read-only files cannot be compiled when they are first used: it would slow every start.
RUN /opt/tokviz/bin/python -m compileall -q /app
ENV PATH=/opt/tokviz/bin:$PATH HOME=/tmp PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER tokviz
EXPOSE 8501
# It draws the first page: a server may answer and draw nothing.
HEALTHCHECK --interval=30s --timeout=15s --start-period=15s \
    CMD ["python", "-P", "tokviz/server/health.py"]
# As a list: the server is the first process, and gets the signal to stop.
CMD ["streamlit", "run", "app.py", "--server.port=8501"]
