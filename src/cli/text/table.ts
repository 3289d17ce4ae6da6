import { cutToWidth, padToWidth, textWidth } from '../../core/wire/text-width.ts';

/** A column of a table: its title, and a cell for each row. The texts hold nothing that is unseen. */
export interface Column {
  title: string;
  cells: readonly string[];
  /** Numbers stand under one another at their ends. */
  isNumber?: boolean;
  /** Where the table is too wide, it may become as narrow as this. */
  shrinksTo?: number;
  /** Where the table is too wide even so, those with the least number here are left out first. */
  dropped?: number;
  /** Makes a cell look as it should when everything is in its place. */
  paint?: (text: string, row: number) => string;
}

const gap = '  ';

/**
 * Lines of text with the cells under one another, the titles first.
 *
 * @param width The columns of the terminal; what does not fit is cut, with `mark` where that was.
 */
export function table(all: readonly Column[], width: number, mark: string): { head: string; rows: string[] } {
  const columns = fittingColumns(all, width);
  const widths = fittingWidths(columns, width);
  const count = columns[0]?.cells.length ?? 0;
  const line = (cell: (column: Column, index: number) => string): string => columns.map(cell).join(gap).trimEnd();
  return {
    head: line((column, index) => inPlace(column.title, column, widths[index] as number, mark)),
    rows: Array.from({ length: count }, (_, row) =>
      line((column, index) => {
        const text = inPlace(column.cells[row] as string, column, widths[index] as number, mark);
        return column.paint ? column.paint(text, row) : text;
      }),
    ),
  };
}

function inPlace(text: string, { isNumber }: Column, width: number, mark: string): string {
  const cut = cutToWidth(text, width, mark);
  return isNumber ? ' '.repeat(Math.max(0, width - textWidth(cut))) + cut : padToWidth(cut, width);
}

/** Those that fit when each is as narrow as it may be. */
function fittingColumns(columns: readonly Column[], width: number): readonly Column[] {
  const least = columns.reduce(
    (sum, column) => sum + Math.min(column.shrinksTo ?? Infinity, widestOf(column)),
    (columns.length - 1) * gap.length,
  );
  const ranks = columns.map(({ dropped }) => dropped ?? Infinity);
  const first = Math.min(...ranks);
  if (least <= width || first === Infinity) return columns;
  return fittingColumns(columns.toSpliced(ranks.indexOf(first), 1), width);
}

const widestOf = ({ title, cells }: Column): number =>
  cells.reduce((widest, cell) => Math.max(widest, textWidth(cell)), textWidth(title));

/** The widest of those that can become narrower give first. */
function fittingWidths(columns: readonly Column[], width: number): number[] {
  const widths = columns.map(widestOf);
  let excess = widths.reduce((sum, one) => sum + one, (columns.length - 1) * gap.length) - width;
  while (excess > 0) {
    const room = columns.map(({ shrinksTo }, index) =>
      shrinksTo !== undefined && shrinksTo < (widths[index] as number) ? (widths[index] as number) : 0,
    );
    const widest = room.indexOf(Math.max(...room));
    if (room[widest] === 0) break;
    widths[widest] = (widths[widest] as number) - 1;
    excess--;
  }
  return widths;
}
