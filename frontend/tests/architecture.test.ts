import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';

const eslint = new ESLint({ cwd: new URL('..', import.meta.url).pathname });

/** The rules that the code breaks when it stands at this place. */
async function broken(filePath: string, code: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(code, { filePath });
  return result?.messages.map(({ ruleId }) => ruleId) ?? [];
}

const ZONES = 'import-x/no-restricted-paths';

describe('who may import whom', () => {
  it.each([
    ['lib asks nobody', 'src/lib/x.ts', "import '@/components/Chip';", ZONES],
    ['api asks lib only', 'src/api/x.ts', "import '@/components/Chip';", ZONES],
    ['components know no api', 'src/components/x.ts', "import '@/api/runs';", ZONES],
    ['features know no page', 'src/features/home/x.ts', "import '@/pages/search';", ZONES],
    ['no feature knows another', 'src/features/home/x.ts', "import '@/features/run-list/RunTable';", ZONES],
    ['pages do not ask the api', 'src/pages/x.ts', "import '@/api/runs';", ZONES],
    ['pages do not know the app', 'src/pages/x.ts', "import '@/app/theme';", ZONES],
    [
      'Recharts stays in components/charts',
      'src/features/home/x.ts',
      "import 'recharts';",
      'no-restricted-imports',
    ],
    [
      'nothing sets raw HTML',
      'src/pages/x.tsx',
      'const x = <b dangerouslySetInnerHTML={{ __html: "" }} />;',
      'no-restricted-syntax',
    ],
    ['a file ends at 250 lines', 'src/lib/x.ts', '\n'.repeat(251), 'max-lines'],
    [
      'a function ends at 50 lines',
      'src/lib/x.ts',
      `function f() {\n${'f();\n'.repeat(51)}}`,
      'max-lines-per-function',
    ],
  ])('%s', async (_, filePath, code, rule) => {
    expect(await broken(filePath, code)).toContain(rule);
  });

  it.each([
    ['src/components/charts/x.ts', "import 'recharts';"],
    ['src/features/home/x.ts', "import '@/api/runs';\nimport '@/components/Chip';\nimport '@/lib/csv';"],
    ['src/pages/x.ts', "import '@/features/home/HomeBoard';\nimport '@/components/Chip';"],
  ])('%s may import what lies below it', async (filePath, code) => {
    expect(await broken(filePath, code)).toEqual([]);
  });
});
