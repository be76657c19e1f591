import { useQuery } from '@tanstack/react-query';
import { askDashboard } from './api.ts';

export interface OperatorInfo {
  readonly name: string;
  readonly suffix: string;
  readonly operand: 'value' | 'list' | 'flag';
  readonly meaning: string;
}

export interface FieldInfo {
  readonly name: string;
  readonly type: string;
  readonly description: string | null;
  readonly isReadable: boolean;
  readonly isCreatable: boolean;
  readonly isUpdatable: boolean;
  readonly isNullable: boolean;
  readonly isRequired: boolean;
  readonly isUnique: boolean;
  readonly default: unknown;
  readonly values: readonly (string | number)[] | null;
  readonly constraints: Readonly<Record<string, string | number | boolean>>;
  readonly reference?: { readonly resource: string; readonly field: string };
}

export interface RelationInfo {
  readonly name: string;
  readonly kind: string;
  readonly isToMany: boolean;
  readonly targets: readonly string[];
  readonly ownerKey?: string | null;
  readonly targetKey?: string | null;
}

export interface FilterInfo {
  readonly path: string;
  readonly kind: 'field' | 'member' | 'relation' | 'related';
  readonly operators: readonly string[];
  readonly type: string | null;
  readonly values: readonly (string | number)[] | null;
}

export interface ResourceInfo {
  readonly name: string;
  readonly description: string | null;
  readonly pagination: 'page' | 'cursor';
  readonly operations: readonly string[];
  readonly fields: readonly FieldInfo[];
  readonly relations: readonly RelationInfo[];
  readonly groups: Readonly<Record<string, readonly string[]>>;
  readonly filters: readonly FilterInfo[];
  readonly sorts: readonly string[];
}

export interface Model {
  readonly name: string;
  readonly description: string | null;
  readonly path: string;
  readonly version: number;
  readonly versions: readonly number[];
  readonly limits: { readonly defaultLimit: number; readonly maxLimit: number };
  readonly operators: readonly OperatorInfo[];
  readonly resources: readonly ResourceInfo[];
}

/** The model of a version; the default one where none is named. It is asked for again when the stream says so. */
export function useModel(version?: string) {
  return useQuery({
    queryKey: ['model', version ?? ''],
    queryFn: () =>
      askDashboard<Model>(version === undefined ? 'model' : `model?version=${version}`),
    staleTime: Infinity,
  });
}
