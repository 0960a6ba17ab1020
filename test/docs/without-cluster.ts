import { findHelm } from "../charts/render.ts";

const helm = findHelm();

/** Reason to skip a test that renders charts; false where helm is installed. */
export const skipWithoutHelm = helm === undefined && "helm is not installed";

/** Shell functions in place of the programs that need a cluster or a registry: charts are rendered, not installed. */
export const withoutCluster = `
docker() { test "$1" != build || test -f "$3"; }
kind() { :; }
kubectl() {
  test "$3" != create || ! type -P kubectl >/dev/null || command kubectl "$@" --dry-run=client --output name >/dev/null
}
helm() {
  local verb=$1; shift
  case $verb in install | upgrade | template) "${helm}" template "$@" --kube-version 1.31.0 >/dev/null ;; esac
}`;
