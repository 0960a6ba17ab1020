/**
 * Text of the changes of a release from the changelog: the section of the version, or else the newest one, which is the
 * one of the next release.
 */
export function changesOf(changelog, { version, epochSeconds }) {
  const [, ...sections] = changelog.split(/^## /m);
  const section =
    sections.find((text) => text.startsWith(`${version} `) || text.startsWith(`${version}\n`)) ?? sections[0];
  const lines = (section ?? "").split("\n").slice(1).join("\n").trim();
  const day = new Date(epochSeconds * 1000).toISOString().slice(0, 10);
  return `Realmwatch v${version}, ${day}\n\n${lines}\n`;
}
