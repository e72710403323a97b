import base64, os
secret = os.environ["TOKEN"]
print(secret)
print(base64.b64encode(secret.encode()).decode())
print(secret.encode().hex())
print("\x1b]0;owned\x07\x1b[2Jheld")
