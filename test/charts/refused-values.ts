import { chartNames } from "./render.ts";

const { agent, aggregator, both } = chartNames;

/** Values of a pair of agents. */
export const pairValues = { replicas: 2, nats: { url: "nats://n:4222" }, pair: { insecure: true } };
/** Values of the worker of two zones. */
export const workerValues = {
  worker: { enabled: true, zones: ["dmz", "lab"], replicas: 3 },
  nats: { url: "nats://n:4222" },
};

/** Values that charts refuse, with the sentence that names them. */
type Refused = readonly [what: string, charts: readonly string[], values: object, message: RegExp];

export const refusedValues: readonly Refused[] = [
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
  ["an invalid size", [agent], { persistence: { size: "8 GB" } }, /size/],
  ["an invalid amount of memory", both, { resources: { limits: { memory: "1Gb" } } }, /memory/],
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
  ["three agents of a realm", [agent], { ...pairValues, replicas: 3 }, /replicas/],
  ["a pair without NATS", [agent], { ...pairValues, nats: {} }, /nats\.url: required with replicas: 2/],
  ["a pair without TLS", [agent], { ...pairValues, pair: {} }, /pair\.insecure: required with replicas: 2/],
  [
    "a pair whose port asks for certificates",
    [agent],
    { ...pairValues, metrics: { port: 9100 }, tls: { secretName: "cert", clientCa: true } },
    /tls\.clientCa: cannot be set together with replicas: 2/,
  ],
  [
    "a pair with one claim",
    [agent],
    { ...pairValues, persistence: { existingClaim: "old" } },
    /persistence\.existingClaim: cannot be set together with replicas: 2/,
  ],
  [
    "a pair with sessions of one member",
    [agent],
    { ...pairValues, auth: { existingSecret: "people" } },
    /secrets\.sessionSecret\.name: required with replicas: 2/,
  ],
  [
    "a pair of workers",
    [agent],
    { ...workerValues, replicas: 2 },
    /replicas: cannot be set together with worker\.enabled/,
  ],
  [
    "a secret of a pair at one agent",
    [agent],
    { secrets: { pairSecret: { name: "ours" } } },
    /secrets\.pairSecret\.name: requires replicas: 2/,
  ],
  [
    "the address of the other member",
    [agent],
    { ...pairValues, extraFlags: { "pair-peer": "http://x" } },
    /extraFlags/,
  ],
  ["a worker without NATS", [agent], { worker: { enabled: true, zones: ["a"] } }, /nats\.url: required/],
  ["an invalid interval", both, { serviceMonitor: { interval: "30 seconds" } }, /interval/],
];
