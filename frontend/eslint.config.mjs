// Biome formats and finds faults in a file; this keeps what lies between files: who may import whom, and how long a file may grow.
import { readdirSync } from 'node:fs';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

const features = readdirSync(new URL('./src/features', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

const zones = [
  { target: './src/lib', from: './src', except: ['./lib'] },
  { target: './src/api', from: './src', except: ['./api', './lib'] },
  { target: './src/components', from: './src', except: ['./components', './lib'] },
  { target: './src/features', from: ['./src/pages', './src/app'] },
  { target: './src/pages', from: ['./src/app', './src/api'] },
  ...features.map((name) => ({
    target: `./src/features/${name}`,
    from: './src/features',
    except: [`./${name}`],
    message: 'A feature knows no other feature: share through components, api or lib.',
  })),
];

const rechartsOnlyInCharts = {
  paths: [{ name: 'recharts', message: 'Charts go through components/charts.' }],
};

export default [
  { ignores: ['dist/**', 'src/api/schema.d.ts'] },
  {
    files: ['src/**/*.{ts,tsx}'],
    languageOptions: { parser: tseslint.parser },
    plugins: { 'import-x': importX },
    settings: {
      'import-x/resolver-next': [createTypeScriptImportResolver({ project: './tsconfig.app.json' })],
    },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones }],
      'import-x/no-cycle': 'error',
      'no-restricted-imports': ['error', rechartsOnlyInCharts],
      'max-lines': ['error', { max: 250 }],
      'max-lines-per-function': ['error', { max: 50, skipComments: true, skipBlankLines: true }],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]',
          message: 'Names come from people: let React escape them.',
        },
      ],
    },
  },
  { files: ['src/components/charts/**'], rules: { 'no-restricted-imports': 'off' } },
  {
    files: ['src/**/*.test.{ts,tsx}'],
    rules: { 'max-lines': ['error', { max: 500 }], 'max-lines-per-function': 'off' },
  },
];
