import type { ProposalNotice } from '../api/gen/types.gen';
import { Abandoned } from '../api/problem';

/** An action that waits in front of the person, and how its caller hears of the end. */
export type Question = ProposalNotice & {
  answer: (response: Response) => void;
  refuse: (error: Error) => void;
};

let questions: readonly Question[] = [];
const listeners = new Set<() => void>();

function publish(next: readonly Question[]): void {
  questions = next;
  for (const listener of listeners) listener();
}

/** Puts the action in front of the person and answers what the server said once it was confirmed. */
export function ask(notice: ProposalNotice): Promise<Response> {
  return new Promise((resolve, reject) => {
    const close = () => publish(questions.filter((other) => other !== question));
    const question: Question = {
      ...notice,
      answer: (response) => {
        close();
        resolve(response);
      },
      refuse: (error) => {
        close();
        reject(error);
      },
    };
    publish([...questions, question]);
  });
}

/** Gives up whatever is being asked, because the person is gone or has lost access. */
export function abandonAll(): void {
  for (const question of questions) question.refuse(new Abandoned());
}

/** For `useSyncExternalStore`: the question that is asked now. */
export const asked = {
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  current: () => questions[0],
};
