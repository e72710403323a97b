console.log(JSON.stringify(process.env));
console.log('held');
