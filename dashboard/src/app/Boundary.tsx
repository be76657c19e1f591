import { Alert, Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';

/** Shows that a view has failed, and leaves the others alone. */
export class Boundary extends Component<{ readonly children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <Alert color="red" role="alert" title="This view has failed">
        <p>{error.message}</p>
        {/* A script that has not come once is not asked for again by the same page. */}
        <Button size="xs" onClick={() => location.reload()}>
          Load the page again
        </Button>
      </Alert>
    );
  }
}
