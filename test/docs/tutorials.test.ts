import { test } from "node:test";
import { filesOf } from "../architecture/sources.ts";
import { followTutorial } from "./follow-tutorial.ts";
import { skipWithoutHelm, withoutCluster } from "./without-cluster.ts";

for (const page of filesOf("docs/tutorials/*.md")) {
  const isOnKubernetes = page.endsWith("/kubernetes.md");
  test(`${page} does what it says, step by step`, { skip: isOnKubernetes && skipWithoutHelm }, (t) =>
    followTutorial(t, page, isOnKubernetes ? withoutCluster : ""),
  );
}
