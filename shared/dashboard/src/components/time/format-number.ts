const grouped = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

/** Number with the separators of the browser's locale: `1,204`. */
export const formatNumber = (value: number): string => grouped.format(value);
