import { signedOut } from '../accounts/signedOut';
import { client } from './gen/client.gen';
import { asError } from './problem';
import { transport } from './transport';

const guarded = transport((request) => fetch(request), signedOut);

client.setConfig({
  baseUrl: '',
  credentials: 'same-origin',
  fetch: (input, init) => guarded(new Request(input, init)),
  throwOnError: true,
});
client.interceptors.error.use((error, response) => asError(error, response));
client.interceptors.request.use((request) => {
  request.headers.set('Accept-Language', document.documentElement.lang);
  return request;
});
