// The texts around the options in the help of the program and of each command.
#pragma once

namespace trellis {

inline constexpr const char* kAbout =
    "trellis: a topology-aware gang scheduler for GPU clusters.\n"
    "\n"
    "Reads ordinary Kubernetes objects, decides where the pods of every gang go\n"
    "(close together, all or nothing), and says why.\n";

inline constexpr const char* kExamples =
    "Examples:\n"
    "  kubectl get nodes,pods,podgroups,topologies -A -o json | trellis schedule -f -\n"
    "  trellis schedule -f cluster.yaml -f gangs/ -o tree\n"
    "  trellis explain gang/default/train -f cluster.yaml -f gangs/\n"
    "  trellis fit gang.yaml -f cluster.yaml\n"
    "  trellis whatif -f cluster.yaml --drain fabric/b1/r3\n"
    "  trellis report -f cluster.yaml\n"
    "  trellis explain gang/default/train --kubeconfig ~/.kube/config\n"
    "  kubectl trellis explain gang/default/train\n"
    "\n"
    "Under the name kubectl-trellis a command that names no input reads the cluster of\n"
    "the current kubeconfig context.\n"
    "\n"
    "Exit codes: 0 done, 1 failure, or the no of fit, 2 bad usage or bad input (what\n"
    "could be scheduled is still printed), 3 pods stayed unscheduled and\n"
    "--fail-unscheduled was given.\n"
    "'trellis help COMMAND' shows the help of a command.\n";

inline constexpr const char* kScheduleDetails =
    "Output (-o):\n"
    "  table  a gang a row, then a line that sums up; without what has finished and\n"
    "         the pods of DaemonSets\n"
    "  wide   with minima, priorities, requests and the names of all nodes\n"
    "  tree   the topologies, with bars of what is used and what is free\n"
    "  json   every decision, for programs (yaml: the same)\n"
    "  name   the names of the rows, as explain takes them\n"
    "  csv    the rows with all columns, for spreadsheets\n"
    "\n"
    "Examples:\n"
    "  trellis schedule -f cluster.yaml -f gangs.yaml\n"
    "  trellis schedule -f dump.json -o json --fail-unscheduled > decisions.json\n"
    "  trellis schedule -f dump.json --pending --sort age --limit 20\n"
    "  trellis schedule -f cluster/ --cycles 3 --save next.jsonl\n"
    "  trellis schedule -f dump.json --actions '' --save to-send.jsonl --anonymize\n"
    "  trellis schedule -f next.jsonl --actions allocate --now 2026-01-01T12:00:00Z\n";

inline constexpr const char* kTopologyDetails =
    "Shows the cluster as it is read: no cycle is run.\n"
    "\n"
    "Examples:\n"
    "  trellis topology -f cluster.yaml\n"
    "  trellis topology fabric -f cluster.yaml -o json\n"
    "  trellis topology -f cluster.yaml --level rack --sort free\n"
    "  trellis topology -f cluster.yaml --distance node-1 node-7\n"
    "  trellis topology import /etc/slurm/topology.conf > fabric.yaml\n";

inline constexpr const char* kTopologyImportDetails =
    "Reads Slurm's topology.conf and topology.yaml, the output of ibnetdiscover,\n"
    "topograph's models and Volcano's HyperNodes. Prints a Topology and, for each node,\n"
    "a Node with labels alone: given with a dump of the cluster, these are the labels of\n"
    "the dump's nodes, and kubectl apply --server-side sets them in a cluster.\n"
    "\n"
    "Examples:\n"
    "  trellis topology import /etc/slurm/topology.conf > fabric.yaml\n"
    "  trellis schedule -f dump.json -f fabric.yaml\n"
    "  ibnetdiscover | trellis topology import - --name ib --labels hall,rack\n"
    "  trellis topology import model.yaml -o slurm-conf\n";

inline constexpr const char* kReportDetails =
    "Runs the cycle, and shows the cluster at its end: what is used, free, and free but\n"
    "stranded and by what cause, the largest gang that one domain of each level takes,\n"
    "what queues hold, and what waits, by cause. --actions \"\" shows the cluster as it is\n"
    "read.\n"
    "\n"
    "Examples:\n"
    "  trellis report -f cluster.yaml\n"
    "  kubectl get nodes,pods,podgroups,topologies -A -o json | trellis report\n"
    "  trellis report -f cluster.yaml -o json\n";

inline constexpr const char* kQueuesDetails =
    "Shows the queues as they are read: no cycle is run. A row a resource: quota,\n"
    "limit, the fair share of the cluster, what is allocated and requested; then the\n"
    "dominant share (the largest part of what it may have that it holds) and the\n"
    "position in the order in which queues are served. GPUs, milli-CPU, megabytes\n"
    "(10^6); - is no bound. ClusterQueues and Cohorts follow in a table of their own.\n"
    "\n"
    "Examples:\n"
    "  trellis queues -f cluster.yaml -f gangs/\n"
    "  trellis queues -f cluster.yaml --config trellis.yaml -o json\n";

inline constexpr const char* kValidateDetails =
    "Prints every error with file, line, path, what was found and what was expected;\n"
    "exit code 2 when there is one.\n"
    "\n"
    "Examples:\n"
    "  trellis validate -f cluster.yaml -f gangs/\n"
    "  kubectl get podgroups -A -o yaml | trellis validate -f -\n";

inline constexpr const char* kSnapshotDetails =
    "Every command reads the file with -f, as it reads the inputs themselves, and decides\n"
    "the same; options such as --levels and --config count when it is read. The file also\n"
    "holds the inputs' texts, which --save and other versions of this program need.\n"
    "\n"
    "Examples:\n"
    "  trellis snapshot save cluster.snap -f cluster.jsonl\n"
    "  trellis schedule -f cluster.snap\n";

inline constexpr const char* kExplainDetails =
    "Runs the cycle, then answers from the cluster at its end:\n"
    "  pod/NAMESPACE/NAME    every node, asked of every plugin, without the\n"
    "                        gang's own decisions\n"
    "  gang/NAMESPACE/NAME   every candidate domain: what fits, what is short, what\n"
    "                        would help\n"
    "  workload/NAMESPACE/NAME\n"
    "                        every flavor: what the quotas say, which domains take it,\n"
    "                        which nodes are left out and why\n"
    "  node/NAME             what runs there, what is free, what else would fit\n"
    "  queue/NAME            its shares, why it is over or under, which gangs wait in\n"
    "                        which order\n"
    "  domain/TOPOLOGY/PATH  what a domain holds (block, or block/rack, ...), or a\n"
    "                        whole topology\n"
    "  job/NAMESPACE/NAME, deployment/..., pytorchjob/..., jobset/... and the like\n"
    "                        the gang of that object; of several gangs the first\n"
    "                        that waits\n"
    "\n"
    "The last part of a name, its beginning or its end will do where no other object\n"
    "has it: gang/train, node/n17, domain/r3. The name of a gang, workload, pod or\n"
    "node will do without its kind: train.\n"
    "\n"
    "Examples:\n"
    "  trellis explain pod/default/train-0 -f cluster.yaml -f gangs.yaml\n"
    "  trellis explain gang/default/train -f cluster.yaml -f gangs.yaml -o json\n"
    "  trellis explain workload/default/train -f cluster.yaml -f kueue.yaml\n"
    "  trellis explain queue/research -f cluster.yaml -f gangs.yaml\n"
    "  trellis explain domain/fabric/b1/r3 -f cluster.yaml -f gangs.yaml\n";

inline constexpr const char* kWhatifDetails =
    "Runs the cycle twice, on the cluster as it is read and with the change, and\n"
    "prints what the change does: gangs and workloads that get in, are pushed out or\n"
    "move, GPUs used, domains spanned. To chain questions, 'trellis schedule --save\n"
    "FILE' first and ask about FILE.\n"
    "\n"
    "Examples:\n"
    "  trellis whatif -f cluster.yaml --add gang.yaml\n"
    "  trellis whatif -f cluster.yaml --cordon fabric/b1/r3 --cordon n17 -o json\n"
    "  trellis whatif -f cluster.yaml --remove gang/default/train --add gang.yaml\n"
    "  trellis whatif -f cluster.yaml --remove jobset/default/train\n"
    "  trellis whatif -f cluster.yaml --drain fabric/b1/r3\n"
    "  trellis whatif -f cluster.yaml --add gang.yaml --only-allocate\n"
    "  trellis whatif -f cluster.yaml --add-nodes 18 --like n17 --in fabric/b1/r9\n";

inline constexpr const char* kPlanDetails =
    "A shape is a file with one Node: its allocatable resources, labels and taints, and\n"
    "its price as annotation trellis.scheduler/price (1). The plan's nodes are the\n"
    "cheapest, and of equally cheap ones the fewest, with which the cycle places every\n"
    "gang; no pod moves or leaves for them. Domains may be new. See docs/plan.md.\n"
    "\n"
    "Output (-o):\n"
    "  table  equal nodes in a row: where they go, what they cost, for whom they are\n"
    "  json   every node, for programs\n"
    "  html   one page, which needs no other file\n"
    "\n"
    "Exit codes: 0 all gangs run with the nodes, 1 some do not, 2 bad usage or bad input.\n"
    "\n"
    "Examples:\n"
    "  trellis plan -f cluster.yaml --shape gpu-node.yaml\n"
    "  trellis plan -f cluster.yaml --shape big.yaml=4 --shape small.yaml -o html\n"
    "  trellis plan -f cluster.yaml --shape gpu-node.yaml --gang team/train\n"
    "  trellis plan -f cluster.yaml --shape gpu-node.yaml --trace gangs.csv --p95-wait 10m\n";

inline constexpr const char* kSimulateDetails =
    "Each moment at which a gang comes or ends is one cycle; what decides is what\n"
    "decides in schedule and serve. The gangs come from a trace; times are in seconds\n"
    "from its beginning. The same input gives the same bytes.\n"
    "\n"
    "Output (-o):\n"
    "  table  a configuration a row: waits, slowdown, GPUs in use, evictions; its queues\n"
    "  json   the same figures, for programs\n"
    "  csv    every figure, a configuration a row\n"
    "  html   one page with plots, which needs no other file\n"
    "\n"
    "Examples:\n"
    "  trellis simulate -f cluster.yaml --trace gangs.csv\n"
    "  trellis simulate -f cluster.yaml --trace philly.csv --trace-format philly -o json\n"
    "  trellis simulate -f nodes.yaml --trace gangs.csv --config a.yaml --config b.yaml\n"
    "  trellis simulate -f openb/ --trace pods.csv --trace-format openb --arrive 130\n";

inline constexpr const char* kFitDetails =
    "Runs the cycle on the cluster together with the gangs, and answers for each gang\n"
    "and workload that comes: where it would run, or what hinders it, as explain does.\n"
    "\n"
    "Exit codes: 0 all of them get a place, 1 some do not, 2 bad usage or bad input.\n"
    "\n"
    "Examples:\n"
    "  trellis fit gang.yaml -f cluster.yaml\n"
    "  kubectl get nodes,pods -A -o json | trellis fit gang.yaml --only-allocate\n"
    "  trellis fit gang.yaml --kubeconfig ~/.kube/config -o json\n";

inline constexpr const char* kDefragDetails =
    "Runs the cycle, then plans moves of gangs that say that they may be moved\n"
    "(annotation trellis.scheduler/movable, on the gang or its queue), and prints what\n"
    "they gain: the largest gang that fits at each level, and the part of the free GPUs\n"
    "that pods can use. Moves nothing; 'trellis serve' carries out such plans with\n"
    "defragmentation.enabled, within its window and budget.\n"
    "\n"
    "Examples:\n"
    "  trellis defrag -f cluster.yaml\n"
    "  trellis defrag -f cluster.yaml --max-moved-gpus 64 -o json\n";

inline constexpr const char* kServeDetails =
    "With -f, on an embedded cluster: runs a cycle each period, and whenever a file\n"
    "changes; bound pods run until their files say otherwise. A file that becomes\n"
    "broken keeps its last good state.\n"
    "\n"
    "With --kubeconfig or --in-cluster, on a live cluster: lists and watches what\n"
    "scheduling reads, decides about the pods whose schedulerName is ours, binds\n"
    "them, and evicts who has to leave for them. With --dry-run it decides and\n"
    "shows, beside the scheduler that is there, and writes nothing.\n"
    "\n"
    "Several of them stand for election by a Lease; one leads and writes, and another\n"
    "takes over within 17 seconds of its end, or at once when it ends by SIGTERM. A\n"
    "dry run only stands for election when an argument says so, and then writes that Lease alone.\n"
    "\n"
    "SIGTERM ends it, SIGHUP reads the configuration again.\n"
    "\n"
    "Over HTTP: / is a page to look at, /debug/... the last cycle for programs\n"
    "(?format=text for people), /metrics, /healthz, /readyz. /debug/openapi.json\n"
    "lists them all.\n"
    "\n"
    "Examples:\n"
    "  trellis serve -f cluster/\n"
    "  trellis serve -f cluster/ --listen 0.0.0.0:8080 --log-format json\n"
    "  trellis serve --kubeconfig ~/.kube/config --dry-run\n"
    "  trellis serve --in-cluster\n"
    "  trellis serve --in-cluster --dry-run --scheduler-name default-scheduler\n";

inline constexpr const char* kCompletionDetails =
    "Packages install it. Without one:\n"
    "\n"
    "Examples:\n"
    "  trellis completion bash > ~/.local/share/bash-completion/completions/trellis\n"
    "  trellis completion zsh > ~/.zfunc/_trellis    # a folder in $fpath\n"
    "  trellis completion fish > ~/.config/fish/completions/trellis.fish\n";

inline constexpr const char* kManDetails =
    "Examples:\n"
    "  trellis man schedule | man -l -\n"
    "  trellis man > trellis.1\n";

inline constexpr const char* kConfigDetails =
    "Examples:\n"
    "  trellis config print > trellis.yaml\n"
    "  trellis config print --config trellis.yaml\n";

}  // namespace trellis
