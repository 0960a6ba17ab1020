/** Labels as `key=value`, one mark each. */
export function LabelList({ labels }: { labels: Readonly<Record<string, string>> }) {
  return Object.entries(labels).map(([key, value]) => (
    <span key={key} className="label">
      {key}={value}
    </span>
  ));
}
