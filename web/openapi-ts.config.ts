import { defineConfig } from '@hey-api/openapi-ts';

export default defineConfig({
  input: '../openapi/console.json',
  output: { path: 'src/api/gen' },
  plugins: [
    { name: '@hey-api/client-fetch', throwOnError: true },
    '@hey-api/typescript',
    { name: '@hey-api/sdk', responseStyle: 'data' },
    { name: '@tanstack/react-query', queryOptions: true, infiniteQueryOptions: false, mutationOptions: false },
    'zod',
  ],
});
