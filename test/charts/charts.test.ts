import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { builtProgram } from "@realmwatch/shared/platform/testing/built-program.fixture";
import { read, root } from "../architecture/sources.ts";
import { runToEnd } from "../run/cli.ts";
import { tempFolder } from "../run/processes.ts";
import { at, findHelm, type Manifest, pick, render } from "./render.ts";

const helm = findHelm() ?? "";
const skip = helm === "" && "helm is not installed: go install helm.sh/helm/v3/cmd/helm@latest";

const charts = [
  { chart: "realmwatch-agent", workload: "StatefulSet" },
  { chart: "realmwatch-aggregator", workload: "Deployment" },
];
const podOf = (manifest: Manifest): unknown => at(manifest, "spec", "template", "spec");
const argsOf = (manifest: Manifest): string[] => at(podOf(manifest), "containers", 0, "args") as string[];
const namesOf = (list: unknown): string[] => (list as { name: string }[]).map(({ name }) => name);

for (const { chart, workload } of charts)
  describe(chart, { skip }, () => {
    test("lints", () => {
      const { status, stdout } = spawnSync(helm, ["lint", "--strict", join(root, "charts", chart)], {
        encoding: "utf8",
      });
      assert.equal(status, 0, stdout);
    });

    test("runs without privileges", () => {
      for (const manifest of render(helm, chart).filter(({ kind }) => [workload, "Pod"].includes(kind))) {
        const pod = manifest.kind === "Pod" ? manifest["spec"] : podOf(manifest);
        assert.equal(at(pod, "automountServiceAccountToken"), false);
        assert.equal(at(pod, "securityContext", "runAsNonRoot"), true);
        assert.equal(at(pod, "securityContext", "seccompProfile", "type"), "RuntimeDefault");
        assert.deepEqual(at(pod, "containers", 0, "securityContext"), {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          runAsNonRoot: true,
          capabilities: { drop: ["ALL"] },
        });
      }
    });

    test("asks with the Node.js of the image, which is not on its PATH", () => {
      const [node = ""] = at(pick(render(helm, chart), "Pod"), "spec", "containers", 0, "command") as string[];
      assert.ok(read("compose/Dockerfile").text.includes(`CMD ["${node}", `), node);
    });

    test("has separate startup, liveness and readiness probes", () => {
      const container = at(
        podOf(pick(render(helm, chart, { probes: { startupSeconds: 90 } }), workload)),
        "containers",
        0,
      );
      assert.equal(at(container, "startupProbe", "failureThreshold"), 45);
      assert.equal(at(container, "livenessProbe", "httpGet", "path"), "/healthz");
      assert.equal(at(container, "readinessProbe", "httpGet", "path"), "/readyz");
    });

    test("mounts each volume, and no more", () => {
      const secrets = { natsUrl: { name: "bus" }, sessionSecret: { name: "sessions" } };
      const values = {
        secrets,
        auth: { existingSecret: "people" },
        nats: { creds: { existingSecret: "creds" } },
        tls: { secretName: "cert" },
      };
      const manifest = pick(render(helm, chart, values), workload);
      const claims = (at(manifest, "spec", "volumeClaimTemplates") ?? []) as { metadata: { name: string } }[];
      const volumes = [...namesOf(at(podOf(manifest), "volumes")), ...claims.map(({ metadata }) => metadata.name)];
      const mounts = namesOf(at(podOf(manifest), "containers", 0, "volumeMounts"));
      assert.deepEqual(mounts.toSorted(), volumes.toSorted());
      assert.equal(new Set(mounts).size, mounts.length);
    });

    test("passes secrets as files, never as values", () => {
      const values = {
        secrets: { sessionSecret: { name: "sessions", key: "cookie" } },
        auth: { existingSecret: "people" },
      };
      const manifest = pick(render(helm, chart, values), workload);
      assert.ok(argsOf(manifest).includes("-session-secret-file=/etc/realmwatch/secrets/session-secret/value"));
      const volumes = at(podOf(manifest), "volumes") as { name: string; secret?: object }[];
      assert.deepEqual(volumes.find(({ name }) => name === "secret-session-secret")?.secret, {
        secretName: "sessions",
        defaultMode: 0o440,
        items: [{ key: "cookie", path: "value" }],
      });
    });

    test("serves TLS with the certificate of a Secret, also to probes", () => {
      const manifests = render(helm, chart, { tls: { secretName: "cert" } });
      const manifest = pick(manifests, workload);
      assert.deepEqual(
        argsOf(manifest).filter((arg) => /tls|metrics/.test(arg)),
        ["-tls-cert=/etc/realmwatch/tls/tls.crt", "-tls-key=/etc/realmwatch/tls/tls.key"],
      );
      const volumes = at(podOf(manifest), "volumes") as { name: string; secret?: object }[];
      assert.deepEqual(volumes.find(({ name }) => name === "tls")?.secret, { secretName: "cert", defaultMode: 0o440 });
      const probe = (values: object): unknown =>
        at(podOf(pick(render(helm, chart, values), workload)), "containers", 0, "readinessProbe", "httpGet");
      assert.deepEqual(probe({ tls: { secretName: "cert" } }), { path: "/readyz", port: "http", scheme: "HTTPS" });
      assert.deepEqual(probe({}), { path: "/readyz", port: "http", scheme: "HTTP" });
      assert.match(JSON.stringify(pick(manifests, "Pod")), /https:\/\/rel-/);
    });

    test("has a port without TLS for metrics and probes, which certificates of clients require", () => {
      const tls = { secretName: "cert", clientCa: true };
      assert.throws(() => render(helm, chart, { tls }), /metrics\.port/);
      assert.throws(() => render(helm, chart, { tls: { clientCa: true } }), /tls\.secretName/);
      const manifests = render(helm, chart, { tls, metrics: { port: 9100 } });
      const container = at(podOf(pick(manifests, workload)), "containers", 0);
      const args = argsOf(pick(manifests, workload));
      assert.ok(
        args.includes("-tls-client-ca=/etc/realmwatch/tls/ca.crt") && args.includes("-metrics-listen=0.0.0.0:9100"),
      );
      assert.deepEqual(at(container, "livenessProbe", "httpGet"), { path: "/healthz", port: "metrics" });
      assert.deepEqual(namesOf(at(container, "ports")), ["http", "metrics"]);
      assert.equal(at(pick(manifests, "Service"), "spec", "ports", 1, "port"), 9100);
      assert.doesNotMatch(JSON.stringify(pick(manifests, "Pod")), /https:/);
    });

    test("selects its own pods", () => {
      const manifests = render(helm, chart);
      const labels = at(pick(manifests, workload), "spec", "template", "metadata", "labels") as Record<string, string>;
      const wanted = at(pick(manifests, "Service"), "spec", "selector") as Record<string, string>;
      assert.deepEqual(at(pick(manifests, workload), "spec", "selector", "matchLabels"), wanted);
      for (const [key, value] of Object.entries(wanted)) assert.equal(labels[key], value);
    });

    test("refuses unknown values", () => {
      assert.throws(() => render(helm, chart, { replicaz: 3 }), /replicaz/);
      assert.throws(() => render(helm, chart, { logLevel: "loud" }), /logLevel/);
      assert.throws(() => render(helm, chart, { service: { port: 0 } }), /port/);
    });

    test("runs with an image pinned by its digest", () => {
      const digest = `sha256:${"a".repeat(64)}`;
      const pod = podOf(pick(render(helm, chart, { image: { repository: "registry.example/x", digest } }), workload));
      assert.equal(at(pod, "containers", 0, "image"), `registry.example/x@${digest}`);
    });
  });

describe("realmwatch-agent alone", { skip }, () => {
  test("is one replica that keeps its data", () => {
    const set = pick(render(helm, "realmwatch-agent", { realm: "fra", persistence: { size: "2Gi" } }), "StatefulSet");
    assert.equal(at(set, "spec", "replicas"), 1);
    assert.equal(at(set, "spec", "volumeClaimTemplates", 0, "spec", "resources", "requests", "storage"), "2Gi");
    assert.ok(argsOf(set).includes("-realm=fra"));
  });

  test("mounts its document, and restarts when it changes", () => {
    const documentOf = (document: string): readonly Manifest[] =>
      render(helm, "realmwatch-agent", { config: { document }, configCheck: { enabled: false } });
    const [one, other] = ['hosts: {}\nviews: {a: selector: "x"}\n', "hosts: {}\n"].map(documentOf);
    assert.equal(at(pick(one ?? [], "ConfigMap"), "data", "config.cue"), 'hosts: {}\nviews: {a: selector: "x"}\n');
    const sum = (manifests: readonly Manifest[] = []): unknown =>
      at(pick(manifests, "StatefulSet"), "spec", "template", "metadata", "annotations", "checksum/config");
    assert.notEqual(sum(one), sum(other));
  });

  test("validates the document before an upgrade, with what the agent has", async (t) => {
    const values = { extraFlags: { "config-profile": "demo" }, realm: "fra" };
    const manifests = render(helm, "realmwatch-agent", values);
    const job = pick(manifests, "Job");
    assert.equal(at(job, "metadata", "annotations", "helm.sh/hook"), "pre-install,pre-upgrade");
    const folder = tempFolder(t, "config-check");
    const args = (argsOf(job) ?? []).map((arg) => arg.replace("/etc/realmwatch/config", folder));
    for (const [document, code] of [
      ["hosts: {}\n", 0],
      ['hosts: a: {check: {type: "command", command: "x", flap: {}}}\n', 1],
    ] as const) {
      writeFileSync(join(folder, "config.cue"), document);
      assert.equal((await runToEnd([...builtProgram("agent"), ...args])).code, code, document);
    }
    const worker = { worker: { enabled: true, zones: ["dmz"] }, nats: { url: "nats://n:4222" } };
    for (const without of [{ configCheck: { enabled: false } }, worker])
      assert.ok(render(helm, "realmwatch-agent", without).every(({ kind }) => kind !== "Job"));
  });

  test("uses an existing ConfigMap", () => {
    const manifests = render(helm, "realmwatch-agent", { config: { existingConfigMap: "mine" } });
    assert.ok(manifests.every(({ kind }) => kind !== "ConfigMap"));
    const volumes = at(podOf(pick(manifests, "StatefulSet")), "volumes") as { name: string; configMap?: object }[];
    assert.deepEqual(volumes.find(({ name }) => name === "config")?.configMap, { name: "mine" });
  });

  test("permits ping only if enabled", () => {
    const sysctls = (values: object): unknown =>
      at(podOf(pick(render(helm, "realmwatch-agent", values), "StatefulSet")), "securityContext", "sysctls");
    assert.equal(sysctls({}), undefined);
    assert.deepEqual(sysctls({ icmp: { enabled: true } }), [
      { name: "net.ipv4.ping_group_range", value: "0 2147483647" },
    ]);
  });

  test("refuses a realm name that the agent would refuse", () => {
    assert.throws(() => render(helm, "realmwatch-agent", { realm: "Frankfurt" }), /realm/);
  });
});

describe("realmwatch-aggregator alone", { skip }, () => {
  test("has two replicas, one of which is always available", () => {
    const manifests = render(helm, "realmwatch-aggregator");
    assert.equal(at(pick(manifests, "Deployment"), "spec", "replicas"), 2);
    assert.equal(at(pick(manifests, "PodDisruptionBudget"), "spec", "minAvailable"), 1);
    assert.ok(
      render(helm, "realmwatch-aggregator", { replicas: 1 }).every(({ kind }) => kind !== "PodDisruptionBudget"),
    );
  });

  test("takes URLs with passwords from Secrets", () => {
    const secrets = { natsUrl: { name: "bus" }, redisUrl: { name: "store" } };
    const args = argsOf(pick(render(helm, "realmwatch-aggregator", { secrets }), "Deployment"));
    assert.deepEqual(
      args.filter((arg) => arg.includes("-url")),
      [
        "-nats-url-file=/etc/realmwatch/secrets/nats-url/value",
        "-redis-url-file=/etc/realmwatch/secrets/redis-url/value",
      ],
    );
  });

  test("requires one session secret for all replicas", () => {
    const auth = { existingSecret: "people" };
    assert.throws(() => render(helm, "realmwatch-aggregator", { auth }), /sessionSecret/);
    assert.doesNotThrow(() => render(helm, "realmwatch-aggregator", { auth, replicas: 1 }));
  });

  test("reads the realms' tokens from files", () => {
    const deployment = pick(
      render(helm, "realmwatch-aggregator", { realms: { tokensSecret: "tokens" } }),
      "Deployment",
    );
    const mounts = at(podOf(deployment), "containers", 0, "volumeMounts") as { name: string; mountPath: string }[];
    assert.equal(mounts.find(({ name }) => name === "tokens")?.mountPath, "/etc/realmwatch/tokens");
  });
});
