import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** Realms of the demo. */
export const realms = ["fra", "ams"];

/**
 * Writes everything that the programs read into `folder`, secrets included: they are new at each start and stay in
 * that folder, which nobody else may enter.
 *
 * @param folder  emptied of the data of the last run
 * @param ports   target name -> port
 * @param urls    realm -> base URL
 * @returns the tokens of the centre and of the jobs by realm, and the one of `admin` in both realms
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

/** The realm's own words, the shared templates and where everything is: one document, as ApplyConfig wants it. */
function realmDocument(realm, ports, folder) {
  const places = [
    "// Where this start of the demo put its targets.",
    `_ports: {${Object.entries(ports)
      .map(([name, port]) => `${name}: ${port}`)
      .join(", ")}}`,
    `_plugins: ${JSON.stringify(join(here, "plugins"))}`,
    `_state: ${JSON.stringify(folder)}`,
  ];
  const read = (name) => readFileSync(join(here, name), "utf8");
  return [read(`${realm}.cue`), read("templates.cue"), `${places.join("\n")}\n`].join("\n");
}

const authDocument = ({ centre, job, admin }) => `auth: {
	// The aggregator, on behalf of whoever asks it to.
	centre: {role: "admin", token_hash: "${hashOf(centre)}"}
	// Jobs that report passive results.
	job: {role: "operator", token_hash: "${hashOf(job)}"}
	// You, at a realm's own dashboard.
	admin: {role: "admin", token_hash: "${hashOf(admin)}"}
}
`;

const realmsDocument = (urls) => `realms: {
	fra: {url: "${urls.fra}", token_env: "FRA_TOKEN", description: "Frankfurt, the shop", labels: continent: "europe"}
	ams: {url: "${urls.ams}", token_env: "AMS_TOKEN", description: "Amsterdam, the warehouse", labels: continent: "europe"}
}
`;
