type SearchBoxProps = { label: string; value: string; onChange: (text: string) => void };

/** Field that searches in what a page has loaded. */
export const SearchBox = ({ label, value, onChange }: SearchBoxProps) => (
  <input
    type="search"
    aria-label={label}
    placeholder="Search"
    value={value}
    onChange={(event) => onChange(event.target.value)}
  />
);
