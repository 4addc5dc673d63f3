// n8n finds the nodes and the credential by the "n8n" block of package.json; there is nothing to import.
