import type { Code, Problem } from './gen/types.gen';

/** A refused call: the server's problem document, or one made here when the server could not be reached or understood. */
export class ProblemError extends Error {
  readonly problem: Partial<Problem> & { code: Code; status: number };

  constructor(problem: Partial<Problem> & { code: Code; status: number }) {
    super(problem.detail ?? problem.title ?? problem.code);
    this.name = 'ProblemError';
    this.problem = problem;
  }

  get code(): Code {
    return this.problem.code;
  }

  get status(): number {
    return this.problem.status;
  }

  /** The code and message of one field, by its JSON pointer. */
  field(pointer: string): { code: Code; message: string } | undefined {
    return this.problem.fields?.find((field) => field.pointer === pointer);
  }
}

/** The person closed the confirmation dialog: nothing was done, so nobody needs to be told. */
export class Abandoned extends Error {
  constructor() {
    super('abandoned');
    this.name = 'Abandoned';
  }
}

/** The action waits for a second person. The dialog has already said so. */
export class Parked extends Error {
  readonly proposalId: string;

  constructor(proposalId: string) {
    super('parked');
    this.name = 'Parked';
    this.proposalId = proposalId;
  }
}

/** Turns whatever a failed call threw into one of the three errors above. */
export function asError(error: unknown, response: Response | undefined): Error {
  if (error instanceof Abandoned || error instanceof Parked || error instanceof ProblemError) return error;
  if (error instanceof DOMException && error.name === 'AbortError') return error;
  if (isProblem(error)) return new ProblemError({ ...error, status: error.status ?? response?.status ?? 0 });
  if (!response) return new ProblemError({ code: 'unavailable', status: 0 });
  return new ProblemError({ code: response.status === 404 ? 'not_found' : 'internal', status: response.status });
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'string';
}
