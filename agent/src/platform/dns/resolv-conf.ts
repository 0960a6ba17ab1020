export type DnsSearchList = { readonly search: readonly string[]; readonly ndots: number };

/** Parses the search list of a resolv.conf. The last `search` or `domain` line counts; `ndots` is 1 by default. */
export function parseResolvConf(text: string): DnsSearchList {
  let search: string[] = [];
  let ndots = 1;
  for (const line of text.split("\n")) {
    const [word, ...rest] = line
      .replace(/[#;].*/, "")
      .trim()
      .split(/\s+/);
    if (word === "search" || word === "domain")
      search = rest.map((domain) => domain.replace(/\.$/, "")).filter(Boolean);
    const dots = word === "options" ? rest.find((option) => /^ndots:\d+$/.test(option)) : undefined;
    if (dots !== undefined) ndots = Math.min(15, Number(dots.slice("ndots:".length)));
  }
  return { search, ndots };
}

/** Fully qualified names that `name` may stand for, in query order. */
export function candidateNames(name: string, { search, ndots }: DnsSearchList): string[] {
  if (name.endsWith(".")) return [name.slice(0, -1)];
  const searched = search.map((domain) => `${name}.${domain}`);
  const dots = name.split(".").length - 1;
  return dots >= ndots ? [name, ...searched] : [...searched, name];
}
