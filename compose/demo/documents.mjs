import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** Realms of the demo. */
export const realms = ["fra", "ams"];

/**
 * Writes every document that the programs read into `folder`, secrets included. Tokens are new at each start, and only
 * the current user may enter the folder.
 *
 * @param folder  data of the last run are removed from it
 * @param ports   target name -> port
 * @param urls    realm -> base URL; undefined for a realm that the aggregator reaches over NATS
 * @returns tokens of the aggregator and of the jobs by realm, and the token of `admin` in both realms
 */
export function writeDocuments({ folder, ports, urls }) {
  rmSync(join(folder, "data"), { recursive: true, force: true });
  for (const name of ["notifications.log", "pages.log", "queue-length.flush"])
    rmSync(join(folder, name), { force: true });
  mkdirSync(join(folder, "data"), { recursive: true, mode: 0o700 });

  const adminToken = newToken();
  const tokens = {};
  for (const realm of realms) {
    tokens[realm] = { centre: newToken(), job: newToken() };
    write(folder, `${realm}-auth.cue`, authDocument({ ...tokens[realm], admin: adminToken }));
    write(folder, `${realm}.cue`, realmDocument(realm, ports, folder));
  }
  write(folder, "realms.cue", realmsDocument(urls));
  return { tokens, adminToken };
}

const newToken = () => randomBytes(24).toString("base64url");
const hashOf = (token) => `sha256:${createHash("sha256").update(token).digest("hex")}`;

function write(folder, name, text) {
  writeFileSync(join(folder, name), text, { mode: 0o600 });
}

/** Joins the realm's own file, the shared templates and the targets' ports into one document, as ApplyConfig needs it. */
function realmDocument(realm, ports, folder) {
  const addresses = [
    "// Ports and folders of this start of the demo.",
    `_ports: {${Object.entries(ports)
      .map(([name, port]) => `${name}: ${port}`)
      .join(", ")}}`,
    `_plugins: ${JSON.stringify(join(here, "plugins"))}`,
    `_state: ${JSON.stringify(folder)}`,
  ];
  const read = (name) => readFileSync(join(here, name), "utf8");
  return [read(`${realm}.cue`), read("templates.cue"), `${addresses.join("\n")}\n`].join("\n");
}

const authDocument = ({ centre, job, admin }) => `auth: {
	// The aggregator, on behalf of its callers.
	centre: {role: "admin", token_hash: "${hashOf(centre)}"}
	// Jobs that report passive results.
	job: {role: "operator", token_hash: "${hashOf(job)}"}
	// You, at a realm's own dashboard.
	admin: {role: "admin", token_hash: "${hashOf(admin)}"}
}
`;

/** Field for the URL of a realm; none for a realm that is reached over NATS. */
const urlField = (url) => (url === undefined ? "" : `url: "${url}", `);

const realmsDocument = (urls) => `realms: {
	fra: {${urlField(urls.fra)}token_env: "FRA_TOKEN", description: "Frankfurt, the shop", labels: continent: "europe"}
	ams: {${urlField(urls.ams)}token_env: "AMS_TOKEN", description: "Amsterdam, the warehouse", labels: continent: "europe"}
}
`;
