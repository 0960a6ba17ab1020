import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { root } from "../architecture/sources.ts";

/** Path of helm, on PATH or in the folder of `go install`; undefined when it is not installed. Debian has no package of it. */
export function findHelm(): string | undefined {
  const go = spawnSync("go", ["env", "GOPATH"], { encoding: "utf8" });
  const folders = [
    ...(process.env["PATH"] ?? "").split(":"),
    join((go.stdout ?? "").trim() || join(homedir(), "go"), "bin"),
  ];
  return folders.map((folder) => join(folder, "helm")).find((path) => existsSync(path));
}

const [agent, aggregator] = ["realmwatch-agent", "realmwatch-aggregator"] as const;
/** Names of the charts of the programs. */
export const chartNames = { agent, aggregator, both: [agent, aggregator] } as const;

/** Kubernetes manifest. */
export type Manifest = Readonly<Record<string, unknown>> & { readonly kind: string };

/** Value at a path of keys and indexes; undefined when the path does not exist. */
export const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value);

/** Manifests of one chart by `helm template`, also with further flags. Throws with helm's message when it fails. */
export function render(
  helm: string,
  chart: string,
  values: object = {},
  flags: readonly string[] = [],
): readonly Manifest[] {
  const args = [
    "template",
    "rel",
    join(root, "charts", chart),
    "--kube-version",
    "1.31.0",
    "--namespace",
    "watch",
    ...flags,
    "--values",
    "-",
  ];
  const text = execFileSync(helm, args, {
    input: JSON.stringify(values),
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
  });
  // Kubernetes reads YAML 1.1, where 0440 is octal.
  return parseAllDocuments(text, { version: "1.1" }).map((document) => {
    if ("errors" in document && document.errors.length > 0) throw document.errors[0];
    return (document as { toJS(): Manifest }).toJS();
  });
}

/** The only manifest of a kind. Throws when there is none or more than one. */
export function pick(manifests: readonly Manifest[], kind: string): Manifest {
  const found = manifests.filter((manifest) => manifest.kind === kind);
  if (found.length !== 1) throw new Error(`expected one ${kind}, found ${found.length}`);
  return found[0] as Manifest;
}

/** Specification of the pods that a chart makes. */
export function podOf(manifests: readonly Manifest[]): unknown {
  const workload = manifests.find(({ kind }) => kind === "StatefulSet" || kind === "Deployment");
  return at(workload, "spec", "template", "spec");
}

/** Arguments of the program of a chart. */
export const argsOf = (manifests: readonly Manifest[]): readonly string[] =>
  at(podOf(manifests), "containers", 0, "args") as string[];
