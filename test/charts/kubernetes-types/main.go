// Reads manifests of Kubernetes from files and fails for a field that the types of its API do not have.
package main

import (
	"bytes"
	"fmt"
	"os"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

func typeOf(kind string) any {
	switch kind {
	case "apps/v1 Deployment":
		return &apps.Deployment{}
	case "apps/v1 StatefulSet":
		return &apps.StatefulSet{}
	case "batch/v1 Job":
		return &batch.Job{}
	case "networking.k8s.io/v1 Ingress":
		return &networking.Ingress{}
	case "networking.k8s.io/v1 NetworkPolicy":
		return &networking.NetworkPolicy{}
	case "policy/v1 PodDisruptionBudget":
		return &policy.PodDisruptionBudget{}
	case "v1 ConfigMap":
		return &core.ConfigMap{}
	case "v1 Pod":
		return &core.Pod{}
	case "v1 Service":
		return &core.Service{}
	case "v1 ServiceAccount":
		return &core.ServiceAccount{}
	}
	return nil
}

func main() {
	failed := false
	for _, file := range os.Args[1:] {
		text, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		for _, manifest := range bytes.Split(text, []byte("\n---\n")) {
			var head struct{ ApiVersion, Kind string }
			if err := yaml.Unmarshal(manifest, &head); err != nil {
				panic(err)
			}
			kind := head.ApiVersion + " " + head.Kind
			value := typeOf(kind)
			if value == nil {
				fmt.Println("other", kind)
				continue
			}
			if err := yaml.UnmarshalStrict(manifest, value); err != nil {
				fmt.Printf("%s: %s: %v\n", file, kind, err)
				failed = true
			}
		}
	}
	if failed {
		os.Exit(1)
	}
}
