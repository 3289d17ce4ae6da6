/** The places in what stands in a field of a form, of those of the whole form: `form:a/b` is `/b` in the field `a`. */
export const innerPlaces = (field: string, places: readonly string[]): string[] =>
  places.flatMap((place) => (place === field || place.startsWith(`${field}/`) ? [place.slice(field.length)] : []));

/** The other way round. What is no pointer is the field itself. */
export const outerPlaces = (field: string, places: readonly string[]): string[] =>
  places.map((place) => (place.startsWith('/') ? field + place : field));
