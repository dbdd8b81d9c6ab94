/** What the profile of each target promises, found among the kinds of stores. Pure. */

interface Profile<P> {
  readonly name: string;
  readonly equivalence: P;
}

interface Kind<P> {
  readonly kind: string;
  readonly profiles: readonly Profile<P>[];
}

interface Started {
  readonly name: string;
  readonly kind: string;
  /** Null for what somebody else started. */
  readonly profile: string | null;
  readonly options?: Readonly<Record<string, string>>;
}

export interface Promised<P> {
  readonly name: string;
  readonly promises: P | null;
  readonly options: readonly string[];
}

/** A composed profile (`rdb+maxmemory`) promises what its first part does. */
export function promisesOf<P>(targets: readonly Started[], kinds: readonly Kind<P>[]): Promised<P>[] {
  return targets.map(({ name, kind, profile, options }) => {
    const profiles = kinds.find((one) => one.kind === kind)?.profiles ?? [];
    const first = profile?.split('+')[0]?.trim();
    const found = profiles.find((one) => one.name === profile) ?? profiles.find((one) => one.name === first);
    return {
      name,
      promises: found?.equivalence ?? null,
      options: Object.entries(options ?? {}).map(([option, value]) => `${option} ${value}`),
    };
  });
}
