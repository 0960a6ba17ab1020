/** Text in place of a secret. */
export const maskText = "***";

const secretWord = "(?:pass(?:w(?:or)?d|phrase)?|pwd|secret|token|api-?key|auth-?key|community|credentials?|bearer)";
const value = `(?:"[^"]*"|'[^']*'|[^\\s"'&;|]+)`;

/** Options, assignments and parameters whose names say that the value is a secret: `--password=x`, `TOKEN=x`, `&token=x`. */
const assigned = new RegExp(`([\\w-]*${secretWord}[\\w-]*\\s*[=:]\\s*)${value}`, "gi");
/** Options whose secret is the next word: `--auth-pass x`. */
const followed = new RegExp(`(--?[\\w-]*${secretWord}[\\w-]*\\s+)(?!-)${value}`, "gi");
/** User and password before the host of a URL. */
const inUrl = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@"']*@/gi;
/** HTTP authentication: the scheme stays. */
const authorization = /((?:authorization|proxy-authorization)\s*:\s*(?:basic|bearer|digest)?\s*)[^\s"']+/gi;
/** Community of net-snmp's programs and of `check_snmp`, which have a short option for it. */
const community = /(\S*snmp\S*.*?\s-(?:C|c)\s*)\S+/g;

const secretName = new RegExp(secretWord, "i");

/** True for a name of a variable whose value is a secret by its words. */
export const isSecretName = (name: string): boolean => secretName.test(name.replaceAll("_", "-"));

/**
 * Masks what looks like a secret in a command line or URL, by the names of options, variables and parameters. A secret
 * without a name is not recognised: such ones belong into resources (`$USERn$`), which are never expanded for readers.
 */
export const maskSecrets = (line: string): string =>
  line
    .replace(inUrl, `$1${maskText}@`)
    .replace(authorization, `$1${maskText}`)
    .replace(assigned, `$1${maskText}`)
    .replace(followed, `$1${maskText}`)
    .replace(community, `$1${maskText}`);
