import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { root } from "../architecture/sources.ts";
import { findHelm } from "./render.ts";

const helm = findHelm() ?? "";
const skip = helm === "" && "helm is not installed: go install helm.sh/helm/v3/cmd/helm@latest";

/** Kinds of the manifests by the version of their API. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  v1: ["Service", "ServiceAccount", "ConfigMap", "Pod"],
  "apps/v1": ["StatefulSet", "Deployment"],
  "batch/v1": ["Job"],
  "networking.k8s.io/v1": ["NetworkPolicy"],
  "policy/v1": ["PodDisruptionBudget"],
};
const groups = Object.keys(kinds)
  .filter((groupVersion) => groupVersion !== "v1")
  .map((groupVersion) => {
    const versions = [{ groupVersion, version: "v1" }];
    return { name: groupVersion.split("/")[0], versions, preferredVersion: versions[0] };
  });

/** Answers to what Helm asks a cluster before it shows what it would install. */
const answers: Readonly<Record<string, object>> = {
  "/version": { major: "1", minor: "31", gitVersion: "v1.31.0" },
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/apis": { kind: "APIGroupList", apiVersion: "v1", groups },
  ...Object.fromEntries(
    Object.entries(kinds).map(([groupVersion, names]) => [
      groupVersion === "v1" ? "/api/v1" : `/apis/${groupVersion}`,
      {
        kind: "APIResourceList",
        groupVersion,
        resources: names.map((kind) => ({ name: kind.toLowerCase(), kind, namespaced: true, verbs: ["get"] })),
      },
    ]),
  ),
};
const cluster = createServer((request, response) => {
  const answer = answers[new URL(request.url ?? "", "http://x").pathname];
  response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify(answer ?? {}));
});

/** Notes that Helm prints after the installation of a chart. */
async function notesOf(chart: string, ...flags: readonly string[]): Promise<string> {
  const server = `http://127.0.0.1:${(cluster.address() as AddressInfo).port}`;
  const args = ["install", "rel", join(root, "charts", chart), "--dry-run=client", "--disable-openapi-validation"];
  const { stdout } = await promisify(execFile)(helm, [...args, "--kube-apiserver", server, ...flags], {
    maxBuffer: 2 ** 26,
  });
  return stdout.slice(stdout.indexOf("\nNOTES:\n"));
}

describe("notes of the charts", { skip }, () => {
  before(() => new Promise<void>((resolve) => cluster.listen(0, "127.0.0.1", resolve)));
  after(() => void cluster.close());
  const valuesOf = (part: string): string => join(root, `charts/realmwatch/values-${part}.yaml`);

  test("warn of an agent without logins, without a volume and without an aggregator", async () => {
    const notes = await notesOf("realmwatch-agent", "--set", "persistence.enabled=false");
    assert.match(notes, /WARNING: no auth document \(`auth\.existingSecret`\).* may write\./s);
    assert.match(notes, /WARNING: `persistence\.enabled` is false/);
    assert.match(notes, /the realm is not connected to an aggregator/);
  });

  test("warn of an aggregator without logins", async () => {
    assert.match(await notesOf("realmwatch-aggregator"), /WARNING: no auth document/);
  });

  test("of a centre and of a datacenter are those of the chart within", async () => {
    assert.match(await notesOf("realmwatch", "--values", valuesOf("centre")), /service\/rel-aggregator 8080:8080/);
    const agent = await notesOf(
      "realmwatch",
      "--values",
      valuesOf("datacenter"),
      "--set",
      "agent.auth.existingSecret=",
    );
    assert.match(agent, /The agent of realm fra starts\..*WARNING: no auth document/s);
    assert.match(await notesOf("realmwatch"), /WARNING: nothing is installed/);
  });
});
