/** A whole number with a comma between thousands: `1,234,567`. */
export const groupedDigits = (value: number): string => String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
