/** Text in place of a secret. */
export const maskText = "***";

const secretWord = "(?:pass(?:w(?:or)?d|phrase)?|pwd|secret|token|api-?key|auth-?key|community|credentials?|bearer)";
/** Word of a command line, or a quoted text with what follows it directly; an open quote ends with the line. */
const value = `(?!\\*{3})(?:(?:"[^"]*(?:"|$)|'[^']*(?:'|$))[^\\s"']*|[^\\s"']+)`;
/** Rest of a name. Its length is bounded so that a match takes linear time. */
const rest = "[\\w-]{0,64}";

/** Options and assignments whose names say that the value is a secret: `--password=x`, `TOKEN=x`. */
const assigned = new RegExp(`(${secretWord}${rest}\\s{0,8}[=:]\\s{0,8})${value}`, "gi");
/** Options whose secret is the next word: `--auth-pass x`, `--auth x`. */
const followed = new RegExp(
  `(\\s--?(?:${rest}${secretWord}${rest}|auth(?:orization|entication)?|(?:private|access|session)-key)[\\s=]\\s{0,8})(?!-)${value}`,
  "gi",
);
/** `-p x` and `-a x`, the short options of plugins for a password or an authorization; `-p 22` is a port. */
const short = new RegExp(`(\\s-[pa][\\s=]\\s{0,8})(?!-)(?!\\d{1,5}(?:\\s|$))${value}`, "g");
/** `-px`, as clients of databases take a password; a word of lower-case letters is a long option, such as `-port`. */
const joined = /(\s-p)(?![a-z-]*(?:[\s=]|$))(?!\d{1,5}(?:\s|$))[^\s"']+/g;
/** User and password before the host of a URL. */
const userInfo = /((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,31}:\/\/)[^\s/"']*@/gi;
/** HTTP authentication: the scheme stays. */
const authorization = /((?:authorization|proxy-authorization)\s{0,8}:\s{0,8}(?:basic|bearer|digest)?\s{0,8})[^\s"']+/gi;
/** Community of net-snmp's programs and of `check_snmp`, which have a short option for it. */
const community = /(\s-[Cc]\s*)\S+/;

/** Parameter of a URL. */
const parameter = /([?&][^\s"'=&#]{0,64}=)([^\s"'&#]+)/g;
/** Part of a path or of a URL that is long enough for a token. */
const longPart = /(?<=[/?&#])[^\s"'/?&#=]{16,}/g;

const secretName = new RegExp(secretWord, "i");

/** True for a name of a variable whose value is a secret by its words. */
export const isSecretName = (name: string): boolean => secretName.test(name.replaceAll("_", "-"));

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * True for a text of at least 16 characters that looks random: a UUID, or one whose words mix digits and letters, change
 * often between lower and upper case, or have 20 letters of upper case and more.
 */
function isTokenLike(text: string): boolean {
  if (text.length < 16 || text.includes("$")) return false;
  if (uuid.test(text)) return true;
  return text.split(/[^A-Za-z0-9]+/).some((word) => {
    if (word.length < 10) return false;
    if (/\d/.test(word) && /[A-Za-z]/.test(word)) return true;
    const changes = word.match(/[a-z](?=[A-Z])/g)?.length ?? 0;
    return changes * 5 > word.length || /^[A-Z]{20,}$/.test(word) || /^\d{16,}$/.test(word);
  });
}

/**
 * [QS10] Masks what looks like a secret in a command line or URL: by the names of options, variables and parameters, and
 * parts of a path or parameters that look random. Other secrets without a name are not recognised: they belong into
 * resources (`$USERn$`), which are never expanded for readers.
 */
export const maskSecrets = (line: string): string =>
  maskCommunity(
    line
      .replace(userInfo, `$1${maskText}@`)
      .replace(authorization, `$1${maskText}`)
      .replace(parameter, (found, name: string, text: string) =>
        isSecretName(name) || isTokenLike(text) ? name + maskText : found,
      )
      .replace(longPart, (part) => (isTokenLike(part) ? maskText : part))
      .replace(assigned, `$1${maskText}`)
      .replace(followed, `$1${maskText}`)
      .replace(short, `$1${maskText}`)
      .replace(joined, `$1${maskText}`),
  );

/** Masks the first community after each name of a program of SNMP. */
function maskCommunity(line: string): string {
  const [first = "", ...others] = line.split("snmp");
  return [first, ...others.map((part) => part.replace(community, `$1${maskText}`))].join("snmp");
}
