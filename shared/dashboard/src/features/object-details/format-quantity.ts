const byteSteps = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** Formats a value with its unit: `1.5 GiB`, `230 ms`, `42 %`. Unknown units are not converted. */
export function formatQuantity(value: number, uom: string): string {
  if (uom === "B") return bytes(value);
  if (uom === "s" && Math.abs(value) < 1 && value !== 0) return `${digits(value * 1_000)} ms`;
  return uom === "" || uom === "c" ? digits(value) : `${digits(value)} ${uom}`;
}

function bytes(value: number): string {
  const step =
    value === 0 ? 0 : Math.min(byteSteps.length - 1, Math.max(0, Math.floor(Math.log2(Math.abs(value)) / 10)));
  return `${digits(value / 1024 ** step)} ${byteSteps[step]}`;
}

const digits = (value: number): string => String(Number.isInteger(value) ? value : Number(value.toPrecision(4)));
