import { Group, List, Progress, SimpleGrid, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Agent } from '@/api/agents';
import { countNoun, formatBytes, formatNumber, formatPercent } from '@/lib/format';

interface AgentLoadProps {
  readonly load: Agent['load'];
  readonly cpuCount: number | undefined;
  readonly memoryBytes: number | undefined;
}

/** How busy the host is apart from us matters: it ends up in every number. */
export function AgentLoad({ load, cpuCount, memoryBytes }: AgentLoadProps): ReactElement | null {
  if (!load) return null;
  const usedShare = memoryBytes ? 1 - load.memory_available_bytes / memoryBytes : null;
  return (
    <SimpleGrid cols={2} spacing="sm">
      <Gauge
        label="CPU"
        share={load.cpu_busy_share}
        text={`${formatPercent(load.cpu_busy_share)}, load ${formatNumber(load.load_1min)}${cpuCount ? ` on ${cpuCount}` : ''}`}
      />
      <Gauge
        label="Memory"
        share={usedShare ?? 0}
        text={`${formatBytes(load.memory_available_bytes)} free${load.swap_used_bytes > 0 ? `, ${formatBytes(load.swap_used_bytes)} swapped` : ''}`}
      />
    </SimpleGrid>
  );
}

function Gauge({ label, share, text }: { label: string; share: number; text: string }): ReactElement {
  return (
    <div>
      <Text size="xs" c="dimmed" className="numbers">
        {label}: {text}
      </Text>
      <Progress
        value={Math.min(100, share * 100)}
        size="xs"
        transitionDuration={0}
        aria-label={`${label} in use`}
      />
    </div>
  );
}

export function AgentInventory({
  inventory,
}: {
  readonly inventory: Agent['inventory'];
}): ReactElement | null {
  if (!inventory) return null;
  return (
    <Text size="sm">
      {inventory.cpu_model}, {countNoun(inventory.cpu_count, 'core')}
      {inventory.cpu_governor ? ` (${inventory.cpu_governor})` : ''}, {formatBytes(inventory.memory_bytes)}
      <br />
      {inventory.operating_system}, kernel {inventory.kernel}
    </Text>
  );
}

interface AgentOffersProps {
  readonly stores: Agent['stores'];
  readonly engines: Agent['engines'];
}

/** Which stores it can start, which engines it has; what is missing with the way to get it. */
export function AgentOffers({ stores, engines }: AgentOffersProps): ReactElement {
  return (
    <Group gap="lg" align="flex-start">
      <Offers title="Stores" offers={stores.map(({ kind, ...offer }) => ({ name: kind, ...offer }))} />
      <Offers title="Engines" offers={engines} />
    </Group>
  );
}

interface Offer {
  readonly name: string;
  readonly available?: boolean;
  readonly version?: string | null;
  readonly remedy?: string | null;
}

function Offers({
  title,
  offers,
}: {
  readonly title: string;
  readonly offers: readonly Offer[];
}): ReactElement {
  const missing = offers.filter(({ available }) => available === false);
  return (
    <div>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <List size="sm" listStyleType="none">
        {offers
          .filter(({ available }) => available !== false)
          .map(({ name, version }) => (
            <List.Item key={`${name} ${version}`}>
              {name} {version}
            </List.Item>
          ))}
      </List>
      {missing.length > 0 && (
        <details>
          <summary className="quiet-summary">{missing.length} missing, and how to get them</summary>
          <List size="xs" mt={4} className="breaks-anywhere">
            {missing.map(({ name, version, remedy }) => (
              <List.Item key={`${name} ${version}`}>
                {[name, version].filter(Boolean).join(' ')}
                {remedy && `: ${remedy}`}
              </List.Item>
            ))}
          </List>
        </details>
      )}
    </div>
  );
}
