import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { root } from "../architecture/sources.ts";
import { chartReadme } from "./chart-readme.ts";
import { at, findHelm, type Manifest, pick, render } from "./render.ts";
import { valuesSchema } from "./values-schema.ts";

const helm = findHelm() ?? "";
const skip = helm === "" && "helm is not installed: go install helm.sh/helm/v3/cmd/helm@latest";
const [agent, aggregator] = ["realmwatch-agent", "realmwatch-aggregator"] as const;
const both = [agent, aggregator] as const;
const podOf = (manifests: readonly Manifest[]): unknown => {
  const workload = manifests.find(({ kind }) => kind === "StatefulSet" || kind === "Deployment");
  return at(workload, "spec", "template", "spec");
};
const argsOf = (manifests: readonly Manifest[]): readonly string[] =>
  at(podOf(manifests), "containers", 0, "args") as string[];

for (const program of ["agent", "aggregator"] as const)
  test(`schema and README of realmwatch-${program} are made from its values: node test/charts/write.ts`, () => {
    const folder = join(root, "charts", `realmwatch-${program}`);
    assert.equal(readFileSync(join(folder, "values.schema.json"), "utf8"), valuesSchema(program));
    assert.equal(readFileSync(join(folder, "README.md"), "utf8"), chartReadme(`realmwatch-${program}`));
  });

type Accepted = readonly [
  what: string,
  charts: readonly string[],
  values: object,
  check: (manifests: readonly Manifest[]) => unknown,
  expected: unknown,
];

const worker = { worker: { enabled: true, zones: ["dmz", "lab"], replicas: 3 }, nats: { url: "nats://n:4222" } };
const accepted: readonly Accepted[] = [
  [
    "an ingress for all paths of a host",
    both,
    { ingress: { enabled: true, className: "nginx", hosts: [{ host: "a.example.org" }], tls: [{ secretName: "t" }] } },
    (all) => [
      at(pick(all, "Ingress"), "spec", "ingressClassName"),
      at(pick(all, "Ingress"), "spec", "rules", 0, "http", "paths", 0, "path"),
      at(pick(all, "Ingress"), "spec", "tls", 0, "secretName"),
    ],
    ["nginx", "/", "t"],
  ],
  [
    "a route of a gateway",
    both,
    { httpRoute: { enabled: true, parentRefs: [{ name: "gw", namespace: "infra" }], hostnames: ["a.example.org"] } },
    (all) => at(pick(all, "HTTPRoute"), "spec", "rules", 0, "backendRefs", 0, "port"),
    8080,
  ],
  [
    "a network policy without egress",
    both,
    { networkPolicy: { enabled: true, ingress: { from: [{ podSelector: {} }] } } },
    (all) => [
      at(pick(all, "NetworkPolicy"), "spec", "policyTypes"),
      at(pick(all, "NetworkPolicy"), "spec", "ingress", 0, "from"),
    ],
    [["Ingress"], [{ podSelector: {} }]],
  ],
  [
    "a network policy with egress",
    [aggregator],
    { networkPolicy: { enabled: true, egress: { enabled: true } } },
    (all) => at(pick(all, "NetworkPolicy"), "spec", "egress", 1, "ports"),
    [
      { port: 4222, protocol: "TCP" },
      { port: 6379, protocol: "TCP" },
    ],
  ],
  [
    "a monitor of the Prometheus operator",
    both,
    { serviceMonitor: { enabled: true, labels: { release: "prom" }, interval: "15s" }, metrics: { port: 9100 } },
    (all) => [
      at(pick(all, "ServiceMonitor"), "spec", "endpoints", 0, "port"),
      at(pick(all, "ServiceMonitor"), "spec", "endpoints", 0, "relabelings", 0),
    ],
    ["metrics", { targetLabel: "job", replacement: "realmwatch" }],
  ],
  [
    "a monitor of pods behind TLS",
    both,
    { podMonitor: { enabled: true }, tls: { secretName: "cert" } },
    (all) => at(pick(all, "PodMonitor"), "spec", "podMetricsEndpoints", 0, "scheme"),
    "https",
  ],
  [
    "alert rules with the address of their pages",
    both,
    { prometheusRule: { enabled: true, runbooks: "https://docs.example.org/runbooks/" } },
    (all) => at(pick(all, "PrometheusRule"), "spec", "groups", 0, "rules", 0, "annotations", "runbook_url"),
    "https://docs.example.org/runbooks/Watchdog.html",
  ],
  [
    "alert rules with the pages of the public address",
    both,
    { prometheusRule: { enabled: true }, extraFlags: { "public-url": "https://fra.example.org/" } },
    (all) => at(pick(all, "PrometheusRule"), "spec", "groups", 0, "rules", 0, "annotations", "runbook_url"),
    "https://fra.example.org/docs/runbooks/Watchdog.html",
  ],
  [
    "alert rules with the pages of the Service",
    both,
    { prometheusRule: { enabled: true }, fullnameOverride: "watch", service: { port: 80 } },
    (all) => at(pick(all, "PrometheusRule"), "spec", "groups", 0, "rules", 0, "annotations", "runbook_url"),
    "http://watch.watch:80/docs/runbooks/Watchdog.html",
  ],
  [
    "a dashboard of Grafana",
    both,
    { grafanaDashboard: { enabled: true, namespace: "grafana" } },
    (all) => {
      const map = all.find(({ kind, metadata }) => kind === "ConfigMap" && at(metadata, "namespace") === "grafana");
      return [
        at(map, "metadata", "labels", "grafana_dashboard"),
        typeof JSON.parse(String(at(map, "data", "realmwatch.json"))),
      ];
    },
    ["1", "object"],
  ],
  [
    "users of OpenShift",
    both,
    { podSecurityContext: { runAsUser: null, runAsGroup: null, fsGroup: null, fsGroupChangePolicy: null } },
    (all) => at(podOf(all), "securityContext"),
    { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  ],
  [
    "an existing account",
    both,
    { serviceAccount: { create: false, name: "mine" } },
    (all) => [at(podOf(all), "serviceAccountName"), all.some(({ kind }) => kind === "ServiceAccount")],
    ["mine", false],
  ],
  [
    "a registry",
    both,
    { image: { registry: "registry.example.org/" } },
    (all) =>
      String(at(podOf(all), "containers", 0, "image"))
        .split("/")
        .slice(0, 2),
    ["registry.example.org", "realmwatch"],
  ],
  [
    "certificates of an own authority",
    [agent],
    { tls: { ca: { secretName: "ca" } } },
    (all) => argsOf(all).filter((arg) => /-ca=/.test(arg)),
    ["-nats-ca=/etc/realmwatch/ca/ca.crt"],
  ],
  [
    "certificates of an own authority",
    [aggregator],
    { tls: { ca: { secretName: "ca" } } },
    (all) => argsOf(all).filter((arg) => /-ca=/.test(arg)),
    ["-nats-ca=/etc/realmwatch/ca/ca.crt", "-redis-ca=/etc/realmwatch/ca/ca.crt"],
  ],
  [
    "a large number of a flag as it is written",
    [agent],
    { extraFlags: { "max-concurrent-checks": 1_000_000 } },
    (all) => argsOf(all).at(-1),
    "-max-concurrent-checks=1000000",
  ],
  [
    "containers, hosts and servers of names beside it",
    both,
    {
      extraContainers: [{ name: "x", image: "y" }],
      extraInitContainers: [{ name: "i", image: "y" }],
      hostAliases: [{ ip: "192.0.2.1", hostnames: ["a"] }],
      dnsConfig: { nameservers: ["192.0.2.2"] },
      extraVolumes: [{ name: "plugins", emptyDir: {} }],
      extraVolumeMounts: [{ name: "plugins", mountPath: "/plugins" }],
    },
    (all) => [
      at(podOf(all), "containers", 1, "name"),
      at(podOf(all), "initContainers", 0, "name"),
      at(podOf(all), "dnsConfig", "nameservers", 0),
    ],
    ["x", "i", "192.0.2.2"],
  ],
  [
    "a claim that exists",
    [agent],
    { persistence: { existingClaim: "old" } },
    (all) => [
      at(pick(all, "StatefulSet"), "spec", "volumeClaimTemplates"),
      (at(podOf(all), "volumes") as { name: string }[]).find(({ name }) => name === "data"),
    ],
    [undefined, { name: "data", persistentVolumeClaim: { claimName: "old" } }],
  ],
  [
    "what becomes of the volume, and how it is updated",
    [agent],
    { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" }, updateStrategy: { type: "OnDelete" } },
    (all) => [
      at(pick(all, "StatefulSet"), "spec", "persistentVolumeClaimRetentionPolicy", "whenDeleted"),
      at(pick(all, "StatefulSet"), "spec", "updateStrategy", "type"),
    ],
    ["Delete", "OnDelete"],
  ],
  [
    "workers of zones without state",
    [agent],
    worker,
    (all) => [
      at(pick(all, "Deployment"), "spec", "replicas"),
      argsOf(all).filter((arg) => /worker|zones|config|data-dir/.test(arg)),
      (at(podOf(all), "volumes") as { name: string }[]).map(({ name }) => name),
      all.some(({ kind }) => kind === "ConfigMap"),
    ],
    [3, ["-worker", "-zones=dmz,lab"], ["tmp"], false],
  ],
  [
    "a budget in percent",
    [aggregator],
    { podDisruptionBudget: { minAvailable: "50%" } },
    (all) => at(pick(all, "PodDisruptionBudget"), "spec", "minAvailable"),
    "50%",
  ],
  [
    "a document with leading blanks and more than one line",
    [agent],
    { config: { document: "  hosts: {}\n// --- \n" }, configCheck: { enabled: false } },
    (all) => at(pick(all, "ConfigMap"), "data", "config.cue"),
    "  hosts: {}\n// --- \n",
  ],
  [
    "a name that is too long, cut as Helm does",
    both,
    { nameOverride: `a${"b".repeat(51)}` },
    (all) => String(at(pick(all, "Service"), "metadata", "name")).length,
    52,
  ],
];

describe("values that are rendered", { skip }, () => {
  for (const [what, charts, values, check, expected] of accepted)
    for (const chart of charts)
      test(`${chart}: ${what}`, () => assert.deepEqual(check(render(helm, chart, values)), expected));
});

const refused: readonly (readonly [what: string, charts: readonly string[], values: object, message: RegExp])[] = [
  [
    "a token beside an auth document",
    both,
    { secrets: { apiToken: { name: "t" } }, auth: { existingSecret: "a" }, replicas: undefined },
    /secrets\.apiToken\.name: cannot be set together with auth\.existingSecret/,
  ],
  ["an unknown flag", both, { extraFlags: { "log-levle": "info" } }, /extraFlags/],
  ["a flag that the chart sets", both, { extraFlags: { listen: "0.0.0.0:1" } }, /extraFlags/],
  ["a secret in a flag", both, { extraFlags: { "api-token": "x" } }, /extraFlags/],
  [
    "a label of the chart",
    both,
    { commonLabels: { "app.kubernetes.io/name": "x" } },
    /commonLabels: the label app\.kubernetes\.io\/name is set by the chart/,
  ],
  [
    "a label of the chart on pods",
    both,
    { podLabels: { "helm.sh/chart": "x" } },
    /podLabels: the label helm\.sh\/chart/,
  ],
  [
    "a budget of all replicas",
    [aggregator],
    { podDisruptionBudget: { minAvailable: 2 } },
    /podDisruptionBudget\.minAvailable: must be below the 2 replicas/,
  ],
  ["a budget in words", [aggregator], { podDisruptionBudget: { minAvailable: "one" } }, /minAvailable/],
  [
    "a budget of all",
    [aggregator],
    { podDisruptionBudget: { minAvailable: "100%" } },
    /minAvailable: must be below 100%/,
  ],
  ["a misspelt field of a toleration", both, { tolerations: [{ key: "a", efect: "NoSchedule" }] }, /efect/],
  ["a misspelt field of an environment variable", both, { extraEnv: [{ name: "A", valu: "x" }] }, /valu/],
  ["a misspelt field of a mount", both, { extraVolumeMounts: [{ name: "a", mountpath: "/a" }] }, /mountpath/],
  ["a pull secret as a text", both, { imagePullSecrets: ["a"] }, /imagePullSecrets/],
  ["a size that is none", [agent], { persistence: { size: "8 GB" } }, /size/],
  ["a memory that is none", both, { resources: { limits: { memory: "1Gb" } } }, /memory/],
  ["a port with a fraction", both, { service: { port: 8080.5 } }, /port/],
  ["a name that is too long", both, { fullnameOverride: "a".repeat(53) }, /fullnameOverride/],
  ["a name that no Service can have", both, { fullnameOverride: "1st" }, /fullnameOverride/],
  [
    "two documents",
    [agent],
    { config: { document: "hosts: a: {}\n", existingConfigMap: "mine" } },
    /config\.existingConfigMap: cannot be set together with config\.document/,
  ],
  [
    "two realms documents",
    [aggregator],
    { realms: { document: "realms: a: {}\n", existingConfigMap: "mine" } },
    /realms\.existingConfigMap: cannot be set together/,
  ],
  ["an ingress without hosts", both, { ingress: { enabled: true } }, /ingress\.hosts: required/],
  ["a route without a gateway", both, { httpRoute: { enabled: true } }, /httpRoute\.parentRefs: required/],
  [
    "both monitors",
    both,
    { serviceMonitor: { enabled: true }, podMonitor: { enabled: true } },
    /podMonitor\.enabled: cannot be set together/,
  ],
  [
    "a worker without zones",
    [agent],
    { worker: { enabled: true }, nats: { url: "nats://n:4222" } },
    /worker\.zones: required/,
  ],
  ["a worker without NATS", [agent], { worker: { enabled: true, zones: ["a"] } }, /nats\.url: required/],
  ["an interval that is none", both, { serviceMonitor: { interval: "30 seconds" } }, /interval/],
];

describe("values that are refused with a sentence that names them", { skip }, () => {
  for (const [what, charts, values, message] of refused)
    for (const chart of charts)
      test(`${chart}: ${what}`, () => assert.throws(() => render(helm, chart, values), message));
});

describe("the chart of a centre or a datacenter", { skip }, () => {
  const rendered = (part: string, values: object = {}): readonly Manifest[] =>
    render(helm, "realmwatch", values, ["--values", join(root, "charts", "realmwatch", `values-${part}.yaml`)]);

  test("installs two aggregators with the values of a centre", () => {
    const manifests = rendered("centre");
    assert.equal(at(pick(manifests, "Deployment"), "spec", "replicas"), 2);
    assert.ok(argsOf(manifests).includes("-redis-url=redis://redis:6379"));
    assert.ok(manifests.every(({ kind }) => kind !== "StatefulSet"));
  });

  test("installs an agent with the values of a datacenter", () => {
    const manifests = rendered("datacenter", { agent: { realm: "ams" } });
    assert.ok(argsOf(manifests).includes("-realm=ams"));
    assert.ok(manifests.every(({ kind }) => kind !== "Deployment"));
  });

  test("refuses what its charts refuse", () => {
    assert.throws(() => rendered("datacenter", { agent: { realmz: "ams" } }), /realmz/);
    assert.throws(() => rendered("centre", { aggregater: {} }), /aggregater/);
  });
});
