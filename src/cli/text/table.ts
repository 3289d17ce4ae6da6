import { cutToWidth, padToWidth, textWidth } from '../../core/wire/text-width.ts';

/** A column of a table: its title, and a cell for each row. The texts hold nothing that is unseen. */
export interface Column {
  title: string;
  cells: readonly string[];
  /** Numbers stand under one another at their ends. */
  isNumber?: boolean;
  /** Where the table is too wide, it may become as narrow as this. */
  shrinksTo?: number;
  /** Makes a cell look as it should when everything is in its place. */
  paint?: (text: string, row: number) => string;
}

const gap = '  ';

/**
 * Lines of text with the cells under one another, the titles first.
 *
 * @param width The columns of the terminal; what does not fit is cut, with `mark` where that was.
 */
export function table(columns: readonly Column[], width: number, mark: string): { head: string; rows: string[] } {
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

/** The widest of those that can become narrower give first. */
function fittingWidths(columns: readonly Column[], width: number): number[] {
  const widths = columns.map(({ title, cells }) =>
    cells.reduce((widest, cell) => Math.max(widest, textWidth(cell)), textWidth(title)),
  );
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
