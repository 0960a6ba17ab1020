// Health check of an image: exits with 0 when the program in this container answers /healthz. It knows the port from
// REALMWATCH_LISTEN and TLS from REALMWATCH_TLS_CERT, so set these in the environment and not as flags.
import { get as getPlain } from "node:http";
import { get as getEncrypted } from "node:https";

const { REALMWATCH_LISTEN = "", REALMWATCH_TLS_CERT = "" } = process.env;
const port = Number(/:(\d+)$/.exec(REALMWATCH_LISTEN)?.[1] ?? 8080);
const get = REALMWATCH_TLS_CERT === "" ? getPlain : getEncrypted;
// The certificate is for the names of clients, not for the loopback address.
get({ host: "127.0.0.1", port, path: "/healthz", timeout: 4000, rejectUnauthorized: false }, (response) => {
  process.exit(response.statusCode === 200 ? 0 : 1);
})
  .on("timeout", () => process.exit(1))
  .on("error", () => process.exit(1));
