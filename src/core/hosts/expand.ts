/**
 * References that hosts replace: `${NAME}`; `${NAME:-default}`; `$NAME`; `${env:NAME}`; what editors know beside
 * (`${workspaceFolder}`, `${userHome}`, …); `{env:NAME}`.
 */
export type Form = 'braces' | 'default' | 'dollar' | 'env' | 'editor' | 'curly';

/** What a host replaces, and what it makes of a variable that is not set. */
export interface Expansion {
  forms: readonly Form[];
  unset: 'kept' | 'empty';
}

/** What references are about. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** The project that the host has open. */
  folder: string;
  isWindows: boolean;
}

const reference = /\$\{([^{}]*)\}|\$([A-Za-z_]\w*)|\{(env|file):([^{}]*)\}/g;

/** Replaces the references of one entry as its host would, and remembers what it could not. */
export class Expander {
  /** Variables that are not set. */
  readonly unset = new Set<string>();
  /** References that only the host itself can replace, because it asks somebody or looks into itself. */
  readonly left = new Set<string>();
  private readonly expansion: Expansion;
  private readonly around: Surroundings;

  constructor(expansion: Expansion, around: Surroundings) {
    this.expansion = expansion;
    this.around = around;
  }

  expand(text: string): string {
    return text.replace(
      reference,
      (whole: string, braced?: string, dollar?: string, curly?: string, curlyName?: string) => {
        if (braced !== undefined) return this.braced(whole, braced);
        if (dollar !== undefined) return this.knows('dollar') ? this.variable(whole, dollar) : whole;
        if (!this.knows('curly')) return whole;
        return curly === 'env' ? this.variable(whole, curlyName ?? '') : this.leave(whole);
      },
    );
  }

  private knows(form: Form): boolean {
    return this.expansion.forms.includes(form);
  }

  private braced(whole: string, inside: string): string {
    const [, name = '', standIn] = /^([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inside) ?? [];
    if (standIn !== undefined && this.knows('default')) return this.around.env[name] ?? standIn;
    if (name !== '' && standIn === undefined && this.knows('braces')) return this.variable(whole, name);
    if (inside.startsWith('env:') && this.knows('env')) return this.variable(whole, inside.slice('env:'.length));
    if (!this.knows('editor')) return whole;
    return this.editorValue(inside) ?? this.leave(whole);
  }

  private editorValue(name: string): string | undefined {
    const { home, folder, isWindows } = this.around;
    if (name === 'userHome') return home;
    if (name === 'workspaceFolder' || name === 'workspaceRoot' || name === 'cwd') return folder;
    if (name === 'workspaceFolderBasename') return folder.split(isWindows ? /[\\/]/ : '/').at(-1);
    return name === 'pathSeparator' || name === '/' ? (isWindows ? '\\' : '/') : undefined;
  }

  private variable(whole: string, name: string): string {
    const value = this.around.env[name];
    if (value !== undefined) return value;
    this.unset.add(name);
    return this.expansion.unset === 'kept' ? whole : '';
  }

  private leave(whole: string): string {
    this.left.add(whole);
    return whole;
  }
}
