{{/* The objects of a file of files/base, as a list. */}}
{{- define "trellis.read" -}}
{{- $objects := list -}}
{{- range splitList "\n---\n" (required (printf "%s is missing" .file) (.root.Files.Get .file)) -}}
{{- $objects = append $objects (fromYaml .) -}}
{{- end -}}
{{- toJson $objects -}}
{{- end -}}

{{/* What the chosen components add to a kind: the values that their patches add at the path. */}}
{{- define "trellis.added" -}}
{{- $added := list -}}
{{- $all := . -}}
{{- range $component := .root.Values.components -}}
{{- $file := printf "files/components/%s/kustomization.yaml" $component -}}
{{- $text := required (printf "there is no component %s" $component) ($all.root.Files.Get $file) -}}
{{- range (fromYaml $text).patches -}}
{{- if eq .target.kind $all.kind -}}
{{- range fromYamlArray .patch -}}
{{- if ne .path $all.path -}}{{- fail (printf "%s: %s" $file .path) -}}{{- end -}}
{{- $added = append $added .value -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $added -}}
{{- end -}}

{{/* An object in this release: its namespace, and the label that kustomize gives all of them. */}}
{{- define "trellis.print" -}}
{{- $object := .object -}}
{{- $_ := set $object.metadata "labels" (merge (dict "app.kubernetes.io/name" "trellis") (default dict $object.metadata.labels)) -}}
{{- if not (hasPrefix "ClusterRole" $object.kind) -}}
{{- $_ := set $object.metadata "namespace" .root.Release.Namespace -}}
{{- end -}}
{{- range $object.subjects -}}
{{- $_ := set . "namespace" $.root.Release.Namespace -}}
{{- end }}
---
{{ toYaml $object }}
{{- end -}}
