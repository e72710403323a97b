// Without a file of assembly, Go takes no function without a body: see cpuid_amd64.go.
